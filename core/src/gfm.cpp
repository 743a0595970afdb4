#include "setwise/gfm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"

namespace setwise {
namespace {

SETWISE_INLINE double dot(std::int32_t n, const double* a, const double* b) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t s = 0; s < n; ++s) total += a[s] * b[s];
    return total;
}

// delta[a] = joint[label a] . weight over `count` of its n_sizes sizes, for the labels that have any mass.
SETWISE_INLINE void deltas(const std::vector<std::int32_t>& labels, std::int32_t n_sizes, std::int32_t count,
                           const double* joint, const double* weight, double* delta) {
    for (std::size_t a = 0; a < labels.size(); ++a)
        delta[a] = dot(count, joint + static_cast<std::int64_t>(labels[a]) * n_sizes, weight);
}

// Adds the rows of all labels to the mass of each size, keeps the largest of each, and writes the sum of each label.
SETWISE_INLINE void measure_rows(std::int32_t n_labels, std::int32_t n_sizes, const double* joint, double* mass,
                                 double* peak, double* sums) {
    for (std::int32_t l = 0; l < n_labels; ++l, joint += n_sizes) {
        double total = 0.0;
#pragma omp simd reduction(+ : total)
        for (std::int32_t s = 0; s < n_sizes; ++s) {
            total += joint[s];
            mass[s] += joint[s];
            peak[s] = peak[s] < joint[s] ? joint[s] : peak[s];
        }
        sums[l] = total;
    }
}

// The search of one document; buffers are kept from one to the next.
class Search {
  public:
    Search(std::int32_t n_labels, std::int32_t n_sizes, double beta)
        : n_labels_(n_labels),
          n_sizes_(n_sizes),
          beta_squared_(beta * beta),
          mass_(n_sizes),
          peak_(n_sizes),
          weight_(n_sizes),
          ones_(n_sizes, 1.0),
          sums_(n_labels) {}

    BestSet best(const double* joint, double empty) {
        measure(joint);
        heap_ = label_mass_;
        std::make_heap(heap_.begin(), heap_.end());
        BestSet found;
        found.expected = empty;
        const auto most = static_cast<std::int32_t>(labels_.size());  // a label without mass only costs
        for (std::int32_t k = 1; k <= most; ++k) {
            std::pop_heap(heap_.begin(), heap_.end() - (k - 1));  // puts the k-th largest behind the rest
            weigh(k);
            const auto [of_k, of_more] = bounds(k);
            if (of_more <= found.expected) break;
            if (of_k <= found.expected) continue;
            choose_candidates(heap_[most - k]);
            delta_.resize(candidates_.size());
            dispatch<deltas>(candidates_, n_sizes_, last_ - first_, joint + first_, weight_.data() + first_,
                             delta_.data());
            const double value = gather_top(k);
            if (value > found.expected) {
                found.expected = value;
                found.labels.clear();
                for (std::int32_t a = 0; a < k; ++a) found.labels.push_back(candidates_[order_[a]]);
            }
        }
        std::sort(found.labels.begin(), found.labels.end());
        return found;
    }

  private:
    // For each size the sum over labels and the largest of them; which labels have any mass, and which sizes. Sizes at
    // either end that together weigh less than the rounding of the rest are left out.
    void measure(const double* joint) {
        labels_.clear();
        label_mass_.clear();
        std::fill(mass_.begin(), mass_.end(), 0.0);
        std::fill(peak_.begin(), peak_.end(), 0.0);
        dispatch<measure_rows>(n_labels_, n_sizes_, joint, mass_.data(), peak_.data(), sums_.data());
        for (std::int32_t l = 0; l < n_labels_; ++l) {
            if (sums_[l] > 0.0) {
                labels_.push_back(l);
                label_mass_.push_back(sums_[l]);
            }
        }
        const double least = std::accumulate(mass_.begin(), mass_.end(), 0.0) * least_probability(n_sizes_);
        first_ = 0;
        last_ = n_sizes_;
        while (last_ - first_ > 1 && mass_[first_] <= least) ++first_;
        while (last_ - first_ > 1 && mass_[last_ - 1] <= least) --last_;
        if (last_ - first_ < n_sizes_)
            dispatch<deltas>(labels_, n_sizes_, last_ - first_, joint + first_, ones_.data(), label_mass_.data());
    }

    void weigh(std::int32_t k) {
        for (std::int32_t s = 0; s < n_sizes_; ++s) weight_[s] = (1.0 + beta_squared_) / (beta_squared_ * (s + 1) + k);
    }

    struct Bounds {
        double of_k, of_more;
    };

    // No set of k labels is worth more: of size s it gathers at most all there is, and at most k times the largest. No
    // set of k or more labels is worth more than all there is at the weights of k, which fall as k grows.
    Bounds bounds(std::int32_t k) const {
        Bounds total{0.0, 0.0};
        for (std::int32_t s = first_; s < last_; ++s) {
            total.of_k += weight_[s] * std::min(mass_[s], k * peak_[s]);
            total.of_more += weight_[s] * mass_[s];
        }
        return total;
    }

    // Labels that may be among the k largest deltas. The delta of a label lies between its mass at the smallest weight
    // and at the largest, so that k deltas reach the k-th largest mass at the smallest weight; who cannot, is out.
    void choose_candidates(double kth_mass) {
        const double slack = 1.0 + 4.0 * n_sizes_ * std::numeric_limits<double>::epsilon();  // for rounding of sums
        // No more than the mass itself, which a product of so little that it is subnormal may round up to.
        const double least = std::min(kth_mass, kth_mass * weight_[last_ - 1] / (weight_[first_] * slack));
        candidates_.clear();
        for (std::size_t a = 0; a < labels_.size(); ++a)
            if (label_mass_[a] >= least) candidates_.push_back(labels_[a]);
    }

    // Puts the places of the k largest deltas first, ties by label, and adds them up in that order.
    double gather_top(std::int32_t k) {
        order_.resize(delta_.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::partial_sort(order_.begin(), order_.begin() + k, order_.end(), [&](std::int32_t a, std::int32_t b) {
            return delta_[a] != delta_[b] ? delta_[a] > delta_[b] : a < b;
        });
        double total = 0.0;
        for (std::int32_t a = 0; a < k; ++a) total += delta_[order_[a]];
        return total;
    }

    const std::int32_t n_labels_, n_sizes_;
    std::int32_t first_ = 0, last_ = 0;  // sizes that matter
    const double beta_squared_;
    std::vector<double> mass_, peak_, weight_, ones_;  // sizes
    std::vector<double> sums_;                         // labels: over all sizes
    std::vector<std::int32_t> labels_;                 // those with mass, rising
    std::vector<double> label_mass_, heap_;            // the same: over the sizes that matter
    std::vector<std::int32_t> candidates_;             // some of them, rising
    std::vector<double> delta_;                        // of these
    std::vector<std::int32_t> order_;
};

// `add_up(first, count, sums)` adds up documents first to first + count - 1, at most SetLanes::kLanes. Every thread has
// a copy of it.
template <class AddUp>
std::vector<BestSet> best_over_sets(std::int64_t n_documents, const LabelSets& sets, const SetLanes& lanes, double beta,
                                    int n_threads, const std::atomic<bool>& stop, const AddUp& shared) {
    std::vector<BestSet> found(n_documents);
    share_out(n_threads, SetLanes::blocks_of(n_documents), 4, [&](Items& items) {
        AddUp add_up = shared;
        Search search(sets.n_labels(), lanes.n_sizes(), beta);
        SetLanes::Sums sums(lanes);
        std::vector<double> joint(static_cast<std::size_t>(sets.n_labels()) * lanes.n_sizes(), 0.0);
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t i = block * SetLanes::kLanes;
            const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(SetLanes::kLanes, n_documents - i));
            add_up(i, count, sums);
            for (std::int32_t k = 0; k < count; ++k) {
                lanes.write(sums, k, joint.data());
                found[i + k] = search.best(joint.data(), sums.empty[k]);
            }
        }
    });
    return found;
}

SetLanes lanes_of(const LabelSets& sets) {
    return {sets, std::max(1, sets.largest_size())};
}

}  // namespace

std::vector<BestSet> maximize_expected_f(std::int64_t n_documents, std::int32_t n_labels, std::int32_t n_sizes,
                                         const double* joint, const double* empty, double beta, int n_threads,
                                         const std::atomic<bool>& stop) {
    std::vector<BestSet> found(n_documents);
    share_out(n_threads, n_documents, 16, [&](Items& items) {
        Search search(n_labels, n_sizes, beta);
        for (const std::int64_t i : items)
            if (!stop) found[i] = search.best(joint + i * n_labels * n_sizes, empty[i]);
    });
    return found;
}

std::vector<BestSet> maximize_expected_f_over_sets(std::int64_t n_documents, const LabelSets& sets,
                                                   const double* probability, double beta, int n_threads,
                                                   const std::atomic<bool>& stop) {
    const SetLanes lanes = lanes_of(sets);
    return best_over_sets(n_documents, sets, lanes, beta, n_threads, stop,
                          [&](std::int64_t first, std::int32_t count, SetLanes::Sums& sums) {
                              lanes.add_up(probability + first * sets.n_sets(), count, sums);
                          });
}

std::vector<BestSet> maximize_expected_f_over_scores(std::int64_t n_documents, const LabelSets& sets,
                                                     const double* scores, const SetScaling& scaling, double beta,
                                                     int n_threads, const std::atomic<bool>& stop) {
    const SetLanes lanes = lanes_of(sets);
    const std::int64_t n_sets = sets.n_sets();
    return best_over_sets(n_documents, sets, lanes, beta, n_threads, stop,
                          [&, room = std::vector<double>(SetLanes::kLanes * n_sets)](
                              std::int64_t first, std::int32_t count, SetLanes::Sums& sums) mutable {
                              for (std::int32_t k = 0; k < count; ++k)
                                  calibrated_softmax(sets.n_sets(), scores + (first + k) * n_sets, scaling,
                                                     room.data() + k * n_sets);
                              lanes.add_up(room.data(), count, sums);
                          });
}

std::vector<BestSet> maximize_expected_f_over_logits(std::int64_t n_documents, const LabelSets& sets,
                                                     const double* logits, const SetScaling& scaling, double beta,
                                                     int n_threads, const std::atomic<bool>& stop) {
    const SetLanes lanes = lanes_of(sets);
    return best_over_sets(n_documents, sets, lanes, beta, n_threads, stop,
                          [&, labels = IndependentSets(sets, lanes, scaling)](std::int64_t first, std::int32_t count,
                                                                              SetLanes::Sums& sums) mutable {
                              labels.add_up(logits + first * sets.n_labels(), count, sums);
                          });
}

}  // namespace setwise
