// The most probable set of a mixture, with proof.
//
// Each component lists its sets in falling probability. The set that leads its component's list by the largest
// pi_k p_k is taken off and scored under the whole mixture, again and again, and the best is kept. Proof of the end: a
// set that no component has listed yet has p_k(y) <= next_k in every component, hence p(y) <= sum_k pi_k next_k. Once
// this sum is no larger than the best so far, no such set is better. A component that was never asked takes part in the
// sum with its most probable set. Where the empty set is left out, a list that starts with it starts one set later, so
// that probabilities are counted in units of a set that may be chosen, however improbable it is.
#include <algorithm>
#include <cmath>
#include <limits>

#include "setwise/dispatch.hpp"
#include "setwise/mixture.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

// A set counts as better only by more than this share: less is rounding, and ties must not keep a search going.
constexpr double kRounding = 1e-13;

SETWISE_INLINE void losses(std::int32_t n, const double* z, double* loss) {
#pragma omp simd
    for (std::int32_t l = 0; l < n; ++l) loss[l] = log1p_of_unit(exp_of_negative(-std::abs(z[l])));
}

// The sets of one component in falling probability, as the labels to flip in its most probable set {l : z_l > 0}.
//
// Labels stand by rising cost |z|. Every set of flips but that of the first label alone has one parent: the last label
// left out where the last two stand side by side, else the last label moved one place back. A child never costs less
// than its parent, so a heap of the children of what was taken off always has the next set on top.
class FlipList {
  public:
    void start(const double* z, std::int32_t n_labels) {
        order_.clear();
        nodes_.clear();
        heap_.clear();
        for (std::int32_t l = 0; l < n_labels; ++l) order_.push_back({std::abs(z[l]), l});
        std::make_heap(order_.begin(), order_.end(), Later{});
        n_sorted_ = 0;
        if (n_labels > 0) push(cost_at(0), 0, kNone, false);
    }

    // Cost of the flips on top; infinite when every set was listed.
    double next_cost() const {
        return heap_.empty() ? std::numeric_limits<double>::infinity() : nodes_[heap_.front()].cost;
    }

    // Takes the flips on top off the list and writes their labels.
    void take(std::vector<std::int32_t>& flips) {
        std::pop_heap(heap_.begin(), heap_.end(), Dearer{nodes_});
        const std::int64_t taken = heap_.back();
        heap_.pop_back();
        const Node node = nodes_[taken];
        if (node.last + 1 < static_cast<std::int32_t>(order_.size())) {
            const double next = cost_at(node.last + 1);
            push(node.cost + next, node.last + 1, taken, false);
            push(node.cost + (next - cost_at(node.last)), node.last + 1, taken, true);
        }
        flips.clear();
        flips.push_back(label_at(node.last));
        for (Node child = node; child.parent != kNone; child = nodes_[child.parent])
            if (!child.moved) flips.push_back(label_at(nodes_[child.parent].last));
    }

  private:
    static constexpr std::int64_t kNone = -1;

    struct Cost {
        double size;
        std::int32_t label;
    };
    struct Later {  // a heap has its greatest on top; ours is the cheapest
        bool operator()(const Cost& a, const Cost& b) const {
            return a.size != b.size ? a.size > b.size : a.label > b.label;
        }
    };
    struct Node {
        double cost;
        std::int64_t parent;
        std::int32_t last;
        bool moved;  // `last` stands in place of the parent's last label, not beside it
    };
    struct Dearer {
        const std::vector<Node>& nodes;
        bool operator()(std::int64_t a, std::int64_t b) const {
            return nodes[a].cost != nodes[b].cost ? nodes[a].cost > nodes[b].cost : a > b;
        }
    };

    // Few labels are ever asked for, so they are sorted as far as needed: from the back, the rest a heap before them.
    const Cost& at(std::int32_t place) {
        for (; n_sorted_ <= place; ++n_sorted_) std::pop_heap(order_.begin(), order_.end() - n_sorted_, Later{});
        return *(order_.end() - 1 - place);
    }
    double cost_at(std::int32_t place) { return at(place).size; }
    std::int32_t label_at(std::int32_t place) { return at(place).label; }

    void push(double cost, std::int32_t last, std::int64_t parent, bool moved) {
        nodes_.push_back({cost, parent, last, moved});
        heap_.push_back(static_cast<std::int64_t>(nodes_.size()) - 1);
        std::push_heap(heap_.begin(), heap_.end(), Dearer{nodes_});
    }

    std::vector<Cost> order_;
    std::vector<Node> nodes_;
    std::vector<std::int64_t> heap_;
    std::int32_t n_sorted_ = 0;
};

// Whether a comes before b as rows of 0 and 1: at the first label where they differ, a lacks it.
bool comes_before(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    for (std::size_t e = 0; e < b.size(); ++e)
        if (e == a.size() || a[e] != b[e]) return e == a.size() || a[e] > b[e];
    return false;
}

class ModeSearch {
  public:
    ModeSearch(const Mixture& mixture, bool non_empty, std::int64_t max_steps, const std::atomic<bool>& stop)
        : mixture_(mixture),
          non_empty_(non_empty),
          max_steps_(max_steps),
          stop_(stop),
          loss_(mixture.n_labels),
          in_set_(mixture.n_labels) {
        components_.resize(mixture.n_components);
    }

    MixtureMode find(std::int64_t i) {
        MixtureMode best;
        best.exact = true;
        if (!start(i)) {  // no component has a part: every set has probability 0
            best.log_prob = kNever;
            return best;
        }
        double best_share = -1.0;
        for (std::int64_t step = 0; best_share < 0.0 || rest() > best_share * (1.0 + kRounding); ++step) {
            if (stop_ || (max_steps_ > 0 && step == max_steps_)) {
                best.exact = false;
                break;
            }
            list_next();
            if (non_empty_ && set_.empty()) continue;  // flips of a set that is not empty may be
            const double share = score();
            if (share < best_share || (share == best_share && !comes_before(set_, best.labels))) continue;
            best_share = share;
            best.labels = set_;
        }
        best.log_prob = unit_ + std::log(std::max(best_share, 0.0));
        return best;
    }

  private:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    struct Component {
        const double* z;
        double top;   // log of pi_k times the probability of its most probable set
        double next;  // pi_k times the probability of the next set on its list, in units of exp(unit_)
        bool asked;   // its most probable set was taken off, or may not be chosen
        std::vector<std::int32_t> positive;  // its most probable set
        FlipList flips;

        double log_next() const { return asked ? top - flips.next_cost() : top; }
        void ask(std::int32_t n_labels) {
            asked = true;
            flips.start(z, n_labels);
        }
    };

    // Reads a document; false where all its gates are closed. Probabilities are counted in units of the largest
    // pi_k p_k of a first set, so that none that matters vanishes.
    bool start(std::int64_t i) {
        unit_ = kNever;
        for (std::int32_t k = 0; k < mixture_.n_components; ++k) {
            Component& component = components_[k];
            component.z = mixture_.logits_of(i, k);
            component.asked = false;
            component.positive.clear();
            component.top = mixture_.log_gate_of(i)[k];
            if (component.top == kNever) continue;
            dispatch<losses>(mixture_.n_labels, component.z, loss_.data());
            for (std::int32_t l = 0; l < mixture_.n_labels; ++l) {
                component.top -= loss_[l];
                if (component.z[l] > 0.0) component.positive.push_back(l);
            }
            if (non_empty_ && component.positive.empty()) component.ask(mixture_.n_labels);
            unit_ = std::max(unit_, component.log_next());
        }
        if (unit_ == kNever) return false;
        for (Component& component : components_) component.next = std::exp(component.log_next() - unit_);
        return true;
    }

    // The most that a set can have which no component has listed.
    double rest() const {
        double sum = 0.0;
        for (const Component& component : components_) sum += component.next;
        return sum;
    }

    // Puts the next set of the leading component into set_; the first of equals leads.
    void list_next() {
        Component* leading = &components_[0];
        for (Component& component : components_)
            if (component.next > leading->next) leading = &component;
        set_ = leading->positive;
        if (leading->asked) {
            leading->flips.take(flips_);
            for (const std::int32_t l : flips_) {
                const auto place = std::lower_bound(set_.begin(), set_.end(), l);
                if (place != set_.end() && *place == l)
                    set_.erase(place);
                else
                    set_.insert(place, l);
            }
        } else {
            leading->ask(mixture_.n_labels);
        }
        leading->next = std::exp(leading->log_next() - unit_);
    }

    // Probability of set_ under the whole mixture. A component's own best set loses |z| for every label that differs,
    // and nothing cancels.
    double score() {
        for (const std::int32_t l : set_) in_set_[l] = true;
        double sum = 0.0;
        for (const Component& component : components_) {
            if (component.top == kNever) continue;
            double cost = 0.0;
            for (const std::int32_t l : set_) cost += component.z[l] > 0.0 ? 0.0 : -component.z[l];
            for (const std::int32_t l : component.positive) cost += in_set_[l] ? 0.0 : component.z[l];
            sum += std::exp(component.top - cost - unit_);
        }
        for (const std::int32_t l : set_) in_set_[l] = false;
        return sum;
    }

    const Mixture& mixture_;
    bool non_empty_;
    std::int64_t max_steps_;
    const std::atomic<bool>& stop_;
    double unit_ = 0.0;
    std::vector<Component> components_;
    std::vector<double> loss_;
    std::vector<char> in_set_;
    std::vector<std::int32_t> set_, flips_;
};

}  // namespace

std::vector<MixtureMode> mixture_mode(const Mixture& mixture, bool non_empty, std::int64_t max_steps, int n_threads,
                                      const std::atomic<bool>& stop) {
    std::vector<MixtureMode> modes(mixture.n_documents);
    share_out(n_threads, mixture.n_documents, 1, [&](Items& items) {
        ModeSearch search(mixture, non_empty && mixture.n_labels > 0, max_steps, stop);
        for (const std::int64_t i : items)
            if (!stop) modes[i] = search.find(i);
    });
    return modes;
}

}  // namespace setwise
