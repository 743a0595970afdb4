// With p_1 >= p_2 >= ... the probabilities of the labels, f[s] = p(|y| = s) and g_l[s] = p(s of the labels but l):
//
//     F_beta:   E_k = sum_s A_k[s] (1 + beta^2) / (beta^2 s + k)   A_k[s] = A_{k-1}[s] + p_k g_k[s - 1]
//     Jaccard:  E_k = (p_1 + ... + p_k) sum_m D_k[m] / (k + m)     D_k[m] = p(m of the labels after the first k)
//
// are the values of the first k labels. A_k[s] is p(|y| = s) times the expected number of the first k labels in a set
// of s. Nan et al. have a recurrence over E[1 / (m + labels after the first k)] in place of it, from the last label to
// the first and for every m up to 2 L; here only the sizes that have any probability take time, only the first few k,
// and beta may be any number. In the Jaccard index the labels that are chosen and those that are not have a factor
// each. Both searches end at a k after which no larger set can be better.
#include "setwise/independent.hpp"

#include <algorithm>
#include <limits>

#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"
#include "setwise/poisson_binomial.hpp"

namespace setwise {
namespace {

// value = sum_s mass[s] weight(s) and most = sum_s limit[s] weight(s), weight(s) = (1 + b) / (b s + k) and b = beta^2.
SETWISE_INLINE void weigh_sizes(std::int32_t first, std::int32_t last, double beta_squared, double k,
                                const double* mass, const double* limit, double* value, double* most) {
    double of_mass = 0.0, of_limit = 0.0;
#pragma omp simd reduction(+ : of_mass, of_limit)
    for (std::int32_t s = first; s <= last; ++s) {
        const double weight = (1.0 + beta_squared) / (beta_squared * s + k);
        of_mass += mass[s] * weight;
        of_limit += limit[s] * weight;
    }
    *value = of_mass;
    *most = of_limit;
}

// sum_m f[m] / (k + m)
SETWISE_INLINE double mean_inverse(std::int32_t first, std::int32_t last, double k, const double* f) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t m = first; m <= last; ++m) total += f[m] / (k + m);
    return total;
}

// The labels of one document, the most probable first: a heap, from which as many are taken as are needed.
class LabelQueue {
  public:
    void fill(const std::vector<double>& p) {
        p_ = p.data();
        heap_.resize(p.size());
        for (std::size_t l = 0; l < p.size(); ++l) heap_[l] = static_cast<std::int32_t>(l);
        std::make_heap(heap_.begin(), heap_.end(), ComesLater{p_});
        left_ = heap_.size();
    }

    bool empty() const { return left_ == 0; }

    std::int32_t take() {
        std::pop_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(left_), ComesLater{p_});
        return heap_[--left_];
    }

    // The labels that were not taken, in any order.
    const std::int32_t* begin() const { return heap_.data(); }
    const std::int32_t* end() const { return heap_.data() + left_; }

  private:
    struct ComesLater {
        const double* p;
        bool operator()(std::int32_t a, std::int32_t b) const { return p[a] != p[b] ? p[a] < p[b] : a > b; }
    };

    const double* p_ = nullptr;
    std::vector<std::int32_t> heap_;
    std::size_t left_ = 0;
};

// One document; buffers are kept from one to the next.
class Document {
  public:
    explicit Document(const IndependentLabels& labels)
        : labels_(labels),
          n_labels_(labels.n_labels),
          p_(n_labels_),
          q_(n_labels_),
          sizes_(n_labels_),
          chosen_mass_(n_labels_ + 2),
          all_mass_(n_labels_ + 2) {}

    // Everything below is of document i until the next call.
    void read(std::int64_t i) {
        dispatch<label_probabilities>(n_labels_, labels_.logits_of(i), p_.data(), q_.data());
        empty_ = 1.0;
        for (const double q : q_) empty_ *= q;
    }

    BestSet best_f(double beta) {
        start_counting(beta);
        queue_.fill(p_);
        std::int32_t best_size = 0;
        double best = value_of_empty();
        taken_.clear();
        while (!queue_.empty()) {
            choose(queue_.take());
            double value, most;
            weigh(&value, &most);
            if (value > best) {
                best = value;
                best_size = static_cast<std::int32_t>(taken_.size());
            }
            if (most <= best) break;  // of all sets of this size, and falling with it
        }
        return found(best_size, best);
    }

    double f_of(const std::int32_t* begin, const std::int32_t* end, double beta) {
        if (begin == end) return value_of_empty();
        start_counting(beta);
        taken_.clear();
        for (; begin != end; ++begin) choose(*begin);
        double value, most;
        weigh(&value, &most);
        return value * share();
    }

    BestSet best_jaccard() {
        const double total = sum_of(p_);
        queue_.fill(p_);
        taken_.clear();
        // 1. Take labels while a larger set may be better. E_k <= (p_1 + ... + p_k) / k, which falls with k, and by
        // Jensen's inequality E_k >= (p_1 + ... + p_k) / (k + the mean of the others).
        double reached = 0.0, sum = 0.0;
        std::vector<double>& sums = chosen_mass_;
        while (!queue_.empty()) {
            taken_.push_back(queue_.take());
            const auto k = static_cast<double>(taken_.size());
            sum += p_[taken_.back()];
            sums[taken_.size()] = sum;
            reached = std::max(reached, sum / (k + std::max(total - sum, 0.0)));
            if (sum / k <= reached) break;
        }
        // 2. Count the labels that were not taken, then put them back one by one.
        sizes_.clear();
        for (const std::int32_t l : queue_) sizes_.add(p_[l], q_[l]);
        double best = -1.0;
        std::int32_t best_size = 0;
        for (auto k = static_cast<std::int32_t>(taken_.size()); k > 0; --k) {
            const double inverse = dispatch<mean_inverse>(sizes_.low(), sizes_.high(), 1.0 * k, sizes_.sizes());
            const double value = sums[k] * inverse;
            if (value >= best) {
                best = value;
                best_size = k;
            }
            sizes_.add(p_[taken_[k - 1]], q_[taken_[k - 1]]);
        }
        if (best <= value_of_empty() && !labels_.excludes_empty) {
            best = empty_;
            best_size = 0;
        }
        return found(best_size, best);
    }

  private:
    double value_of_empty() const { return labels_.excludes_empty ? 0.0 : empty_; }

    // 1 / p(y != 0) where the set is known to have a label. Each label adds what is positive, so that a probability
    // that is small keeps its digits.
    double share() const {
        if (!labels_.excludes_empty) return 1.0;
        double some = 0.0, none = 1.0;
        for (std::int32_t l = 0; l < n_labels_; ++l) {
            some += none * p_[l];
            none *= q_[l];
        }
        return some < std::numeric_limits<double>::min() ? 1.0 : 1.0 / some;
    }

    BestSet found(std::int32_t size, double value) {
        BestSet best;
        best.labels.assign(taken_.begin(), taken_.begin() + size);
        std::sort(best.labels.begin(), best.labels.end());
        best.expected = value * share();
        return best;
    }

    static double sum_of(const std::vector<double>& values) {
        double total = 0.0;
        for (const double value : values) total += value;
        return total;
    }

    // Counts the sizes of all labels; none is chosen yet.
    void start_counting(double beta) {
        beta_squared_ = beta * beta;
        sizes_.clear();
        for (std::int32_t l = 0; l < n_labels_; ++l) sizes_.add(p_[l], q_[l]);
        first_ = std::max(sizes_.low(), 1);
        last_ = std::min(sizes_.high() + 1, n_labels_);
        for (std::int32_t s = first_; s <= last_; ++s) {
            chosen_mass_[s] = 0.0;
            // Beyond the largest size that is left, there is what each label had when it was dropped.
            all_mass_[s] = s <= sizes_.high() ? s * sizes_.sizes()[s] : n_labels_ * PoissonBinomial::kVanished;
        }
    }

    // Adds p(y_l = 1, |y| = s) to the mass of each size. The label leaves the sizes upwards or downwards, whichever
    // lets no error grow: see mixture_sizes.cpp.
    void choose(std::int32_t label) {
        taken_.push_back(label);
        const double p = p_[label], q = q_[label];
        const double* f = sizes_.sizes();
        double g = 0.0;
        if (p <= 0.5) {
            const double scale = 1.0 / q, ratio = p * scale;
            for (std::int32_t s = sizes_.low(); s < last_; ++s) {
                g = f[s] * scale - ratio * g;
                chosen_mass_[s + 1] += p * std::max(g, 0.0);
            }
        } else {
            const double scale = 1.0 / p, ratio = q * scale;
            for (std::int32_t s = sizes_.high(); s >= first_; --s) {
                g = f[s] * scale - ratio * g;
                chosen_mass_[s] += p * std::max(g, 0.0);
            }
        }
    }

    // The value of the labels that were chosen, and the most that any set of as many is worth.
    void weigh(double* value, double* most) const {
        dispatch<weigh_sizes>(first_, last_, beta_squared_, static_cast<double>(taken_.size()), chosen_mass_.data(),
                              all_mass_.data(), value, most);
    }

    const IndependentLabels& labels_;
    const std::int32_t n_labels_;
    std::vector<double> p_, q_;
    double empty_ = 1.0;  // p(y = 0)
    PoissonBinomial sizes_;
    LabelQueue queue_;
    std::vector<std::int32_t> taken_;  // labels, in the order in which they were chosen
    double beta_squared_ = 1.0;
    std::int32_t first_ = 0, last_ = 0;           // sizes that matter, from 1 up
    std::vector<double> chosen_mass_, all_mass_;  // A_k[s] and A_L[s] = s f[s]
};

}  // namespace

std::vector<BestSet> maximize_expected_f(const IndependentLabels& labels, double beta, int n_threads,
                                         const std::atomic<bool>& stop) {
    std::vector<BestSet> found(labels.n_documents);
    share_out(n_threads, labels.n_documents, 4, [&](Items& items) {
        Document document(labels);
        for (const std::int64_t i : items) {
            if (stop) continue;
            document.read(i);
            found[i] = document.best_f(beta);
        }
    });
    return found;
}

std::vector<double> expected_f(const IndependentLabels& labels, const LabelSets& sets, double beta, int n_threads,
                               const std::atomic<bool>& stop) {
    std::vector<double> value(labels.n_documents);
    const Columns<Ones> columns = sets.columns();
    share_out(n_threads, labels.n_documents, 4, [&](Items& items) {
        Document document(labels);
        for (const std::int64_t i : items) {
            if (stop) continue;
            document.read(i);
            value[i] =
                document.f_of(columns.indices + columns.indptr[i], columns.indices + columns.indptr[i + 1], beta);
        }
    });
    return value;
}

std::vector<BestSet> maximize_expected_jaccard(const IndependentLabels& labels, int n_threads,
                                               const std::atomic<bool>& stop) {
    std::vector<BestSet> found(labels.n_documents);
    share_out(n_threads, labels.n_documents, 4, [&](Items& items) {
        Document document(labels);
        for (const std::int64_t i : items) {
            if (stop) continue;
            document.read(i);
            found[i] = document.best_jaccard();
        }
    });
    return found;
}

}  // namespace setwise
