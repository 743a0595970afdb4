#include "setwise/gfm.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

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

// The largest sum of a pair of each size, in lanes: sizes x lanes.
SETWISE_INLINE void largest_pairs(const std::vector<SetLanes::Size>& sizes, const double* pairs, double* peaks) {
    constexpr std::int32_t kLanes = SetLanes::kLanes;
    for (const SetLanes::Size& of : sizes) {
        double peak[kLanes] = {};
        for (std::int32_t p = of.first_pair; p < of.end_pair; ++p) {
            const double* pair = pairs + std::int64_t{kLanes} * p;
#pragma omp simd
            for (std::int32_t k = 0; k < kLanes; ++k) peak[k] = peak[k] < pair[k] ? pair[k] : peak[k];
        }
        for (std::int32_t k = 0; k < kLanes; ++k) *peaks++ = peak[k];
    }
}

// The sum of the pairs of each label, each times the factor of its size and lane: labels x lanes, which come in as
// zeros.
SETWISE_INLINE void add_up_labels(const std::vector<SetLanes::Size>& sizes, const std::int32_t* labels,
                                  const double* pairs, const double* factors, double* sums) {
    constexpr std::int32_t kLanes = SetLanes::kLanes;
    for (std::size_t g = 0; g < sizes.size(); ++g, factors += kLanes) {
        double any = 0.0;
        for (std::int32_t k = 0; k < kLanes; ++k) any += factors[k];
        if (any == 0.0) continue;
        for (std::int32_t p = sizes[g].first_pair; p < sizes[g].end_pair; ++p) {
            const double* pair = pairs + std::int64_t{kLanes} * p;
            double* sum = sums + std::int64_t{kLanes} * labels[p];
#pragma omp simd
            for (std::int32_t k = 0; k < kLanes; ++k) sum[k] += factors[k] * pair[k];
        }
    }
}

SETWISE_INLINE void largest_of_lanes(std::int32_t n, const double* values, double* largest) {
    constexpr std::int32_t kLanes = SetLanes::kLanes;
    double most[kLanes] = {};
    for (std::int32_t l = 0; l < n; ++l, values += kLanes) {
#pragma omp simd
        for (std::int32_t k = 0; k < kLanes; ++k) most[k] = most[k] < values[k] ? values[k] : most[k];
    }
    std::copy(most, most + kLanes, largest);
}

// The search of one document; buffers are kept from one to the next. `sizes` are those of the columns of joint, rising.
class Search {
  public:
    Search(std::int32_t n_labels, std::vector<std::int32_t> sizes, double beta)
        : n_labels_(n_labels),
          n_sizes_(static_cast<std::int32_t>(sizes.size())),
          sizes_(std::move(sizes)),
          beta_squared_(beta * beta),
          mass_(n_sizes_),
          peak_(n_sizes_),
          ones_(n_sizes_, 1.0),
          label_mass_(n_labels) {}

    BestSet best(const double* joint, double empty) {
        measure(joint);
        return search(joint, empty, [](std::int32_t) {});
    }

    // The same for documents side by side, of which joint is filled for the labels that the search looks at.
    void best(const SetLanes& lanes, const SetLanes::Sums& sums, std::int32_t count, BestSet* found) {
        measure(lanes, sums, count);
        joint_.resize(static_cast<std::size_t>(n_labels_) * n_sizes_);
        for (std::int32_t k = 0; k < count; ++k) {
            take(k);
            filled_.assign(n_labels_, false);
            found[k] = search(joint_.data(), sums.empty[k] * sums.share[k], [&](std::int32_t label) {
                if (filled_[label]) return;
                filled_[label] = true;
                double* row = joint_.data() + static_cast<std::int64_t>(label) * n_sizes_;
                for (std::int32_t g = first_; g < last_; ++g) {
                    const std::int32_t pair = lanes.pair(label, static_cast<std::size_t>(g));
                    row[g] = pair < 0
                                 ? 0.0
                                 : sums.share[k] * sums.pairs[static_cast<std::size_t>(pair) * SetLanes::kLanes + k];
                }
            });
        }
    }

  private:
    // fill(label) is called before the row of a label is read.
    template <class Fill>
    BestSet search(const double* joint, double empty, const Fill& fill) {
        BestSet found;
        found.expected = empty;
        best_.clear();
        rank(kRanked * largest_mass_);
        for (std::int32_t k = 1; k <= n_labels_; ++k) {
            const std::vector<double>& weight = weights_of(k);
            const auto [of_k, of_more] = bounds(k, weight.data());
            if (of_more <= found.expected || !has_label(k)) break;  // a label without mass only costs
            if (of_k <= found.expected) continue;
            choose_candidates(k, weight.data());
            for (const std::int32_t label : candidates_) fill(label);
            delta_.resize(candidates_.size());
            dispatch<deltas>(candidates_, n_sizes_, last_ - first_, joint + first_, weight.data() + first_,
                             delta_.data());
            const double value = gather_top(k);
            if (value > found.expected) {
                found.expected = value;
                best_.clear();
                for (std::int32_t a = 0; a < k; ++a) best_.push_back(candidates_[order_[a]]);
            }
        }
        std::sort(best_.begin(), best_.end());
        found.labels = best_;
        return found;
    }

    // For each size the sum over labels and the largest of them; the mass of each label, and which sizes. Sizes at
    // either end that together weigh less than the rounding of the rest are left out. Sets: mass_, peak_, label_mass_,
    // masses_, largest_mass_, first_, last_.
    void measure(const double* joint) {
        std::fill(mass_.begin(), mass_.end(), 0.0);
        std::fill(peak_.begin(), peak_.end(), 0.0);
        dispatch<measure_rows>(n_labels_, n_sizes_, joint, mass_.data(), peak_.data(), label_mass_.data());
        find_range();
        if (last_ - first_ < n_sizes_) {
            all_labels_.resize(n_labels_);
            std::iota(all_labels_.begin(), all_labels_.end(), 0);
            dispatch<deltas>(all_labels_, n_sizes_, last_ - first_, joint + first_, ones_.data(), label_mass_.data());
        }
        masses_ = {label_mass_.data(), 1};
        largest_mass_ = *std::max_element(label_mass_.begin(), label_mass_.end());
    }

    // The same for all documents side by side. Sets: lane_mass_, lane_peak_, lane_first_, lane_last_, lane_labels_,
    // lane_largest_.
    void measure(const SetLanes& lanes, const SetLanes::Sums& sums, std::int32_t count) {
        constexpr std::int32_t kLanes = SetLanes::kLanes;
        const auto n_cells = static_cast<std::size_t>(n_sizes_) * kLanes;
        lane_peak_.resize(n_cells);
        lane_mass_.resize(n_cells);
        lane_factors_.assign(n_cells, 0.0);
        dispatch<largest_pairs>(lanes.sizes(), sums.pairs.data(), lane_peak_.data());
        for (std::size_t g = 0; g < static_cast<std::size_t>(n_sizes_); ++g)
            for (std::int32_t k = 0; k < kLanes; ++k) {
                lane_mass_[g * kLanes + k] = sums.share[k] * (sizes_[g] * sums.sizes[g * kLanes + k]);
                lane_peak_[g * kLanes + k] *= sums.share[k];
            }
        for (std::int32_t k = 0; k < count; ++k) {
            for (std::int32_t g = 0; g < n_sizes_; ++g) mass_[g] = lane_mass_[static_cast<std::size_t>(g) * kLanes + k];
            find_range();
            lane_first_[k] = first_;
            lane_last_[k] = last_;
            for (std::int32_t g = first_; g < last_; ++g)
                lane_factors_[static_cast<std::size_t>(g) * kLanes + k] = sums.share[k];
        }
        lane_labels_.assign(static_cast<std::size_t>(n_labels_) * kLanes, 0.0);
        dispatch<add_up_labels>(lanes.sizes(), lanes.pair_labels().data(), sums.pairs.data(), lane_factors_.data(),
                                lane_labels_.data());
        dispatch<largest_of_lanes>(n_labels_, lane_labels_.data(), lane_largest_);
    }

    // Takes what was measured of one document. Sets: mass_, peak_, masses_, largest_mass_, first_, last_.
    void take(std::int32_t lane) {
        constexpr std::int32_t kLanes = SetLanes::kLanes;
        for (std::int32_t g = 0; g < n_sizes_; ++g) {
            mass_[g] = lane_mass_[static_cast<std::size_t>(g) * kLanes + lane];
            peak_[g] = lane_peak_[static_cast<std::size_t>(g) * kLanes + lane];
        }
        first_ = lane_first_[lane];
        last_ = lane_last_[lane];
        masses_ = {lane_labels_.data() + lane, kLanes};
        largest_mass_ = lane_largest_[lane];
    }

    // Ranks the labels of a mass of at least `floor`, or of any mass where that is zero: the search ends after few
    // labels, and seldom looks at those of little mass. Sets: ranked_, floor_.
    void rank(double floor) {
        floor_ = floor;
        ranked_.resize(n_labels_);
        std::size_t n = 0;
        for (std::int32_t l = 0; l < n_labels_; ++l) {
            const double mass = masses_.of_first[l * masses_.stride];
            ranked_[n] = {mass, l};  // overwritten unless it is ranked: a branch here would mispredict
            n += static_cast<std::size_t>(mass >= floor) & static_cast<std::size_t>(mass > 0.0);
        }
        ranked_.resize(n);
        std::sort(ranked_.begin(), ranked_.end());
    }

    // Whether there are k labels that have any mass; they are ranked then.
    bool has_label(std::int32_t k) {
        while (static_cast<std::int32_t>(ranked_.size()) < k) {
            if (floor_ == 0.0) return false;
            const double lower = kRankedNext * floor_;
            rank(lower < std::numeric_limits<double>::min() ? 0.0 : lower);
        }
        return true;
    }

    // Sets: first_, last_.
    void find_range() {
        const double least = std::accumulate(mass_.begin(), mass_.end(), 0.0) * least_probability(n_sizes_);
        first_ = 0;
        last_ = n_sizes_;
        while (last_ - first_ > 1 && mass_[first_] <= least) ++first_;
        while (last_ - first_ > 1 && mass_[last_ - 1] <= least) --last_;
    }

    // The weight of each size for sets of k labels.
    const std::vector<double>& weights_of(std::int32_t k) {
        while (static_cast<std::int32_t>(weights_.size()) < k) {
            const auto labels = static_cast<double>(weights_.size() + 1);
            std::vector<double>& weight = weights_.emplace_back();
            for (const std::int32_t size : sizes_)
                weight.push_back((1.0 + beta_squared_) / (beta_squared_ * size + labels));
        }
        return weights_[k - 1];
    }

    struct Bounds {
        double of_k, of_more;
    };

    // No set of k labels is worth more: of size s it gathers at most all there is, and at most k times the largest. No
    // set of k or more labels is worth more than all there is at the weights of k, which fall as k grows.
    Bounds bounds(std::int32_t k, const double* weight) const {
        Bounds total{0.0, 0.0};
        for (std::int32_t s = first_; s < last_; ++s) {
            total.of_k += weight[s] * std::min(mass_[s], k * peak_[s]);
            total.of_more += weight[s] * mass_[s];
        }
        return total;
    }

    // Labels that may be among the k largest deltas. The delta of a label lies between its mass at the smallest weight
    // and at the largest, so that k deltas reach the k-th largest mass at the smallest weight; who cannot, is out.
    void choose_candidates(std::int32_t k, const double* weight) {
        const double slack = 1.0 + 4.0 * n_sizes_ * std::numeric_limits<double>::epsilon();  // for rounding of sums
        const double kth_mass = ranked_[k - 1].mass;
        // No more than the mass itself, which a product of so little that it is subnormal may round up to.
        const double least = std::min(kth_mass, kth_mass * weight[last_ - 1] / (weight[first_] * slack));
        if (least < floor_) rank(least);
        candidates_.clear();
        for (const RankedLabel& one : ranked_) {
            if (one.mass < least) break;
            candidates_.push_back(one.label);
        }
        std::sort(candidates_.begin(), candidates_.end());
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

    // The labels of a mass of at least this share of the largest are ranked first, then those of this share of that.
    static constexpr double kRanked = 0.01, kRankedNext = 1e-6;

    struct RankedLabel {
        double mass;
        std::int32_t label;
        bool operator<(const RankedLabel& other) const {
            return mass != other.mass ? mass > other.mass : label < other.label;
        }
    };

    const std::int32_t n_labels_, n_sizes_;
    const std::vector<std::int32_t> sizes_;
    std::int32_t first_ = 0, last_ = 0;  // places of the sizes that matter
    const double beta_squared_;
    std::vector<double> mass_, peak_, ones_;    // sizes
    std::vector<std::vector<double>> weights_;  // sizes, of the numbers of labels that were needed so far
    std::vector<double> label_mass_;            // labels: over the sizes that matter
    struct Masses {
        const double* of_first;
        std::int64_t stride;
    } masses_{};  // of the labels: label_mass_, or a lane of lane_labels_
    double largest_mass_ = 0.0;
    std::vector<RankedLabel> ranked_;  // falling
    double floor_ = 0.0;
    std::vector<std::int32_t> all_labels_, candidates_;  // rising
    std::vector<double> delta_;                          // of the candidates
    std::vector<std::int32_t> order_, best_;
    // Of documents side by side.
    LaneVector lane_mass_, lane_peak_, lane_factors_, lane_labels_;
    double lane_largest_[SetLanes::kLanes];
    std::int32_t lane_first_[SetLanes::kLanes], lane_last_[SetLanes::kLanes];
    std::vector<double> joint_;  // of one of them: labels x sizes
    std::vector<char> filled_;   // which labels of it
};

std::vector<std::int32_t> all_sizes(std::int32_t n_sizes) {
    std::vector<std::int32_t> sizes(n_sizes);
    std::iota(sizes.begin(), sizes.end(), 1);
    return sizes;
}

// `add_up(first, count, sums)` adds up documents first to first + count - 1, at most SetLanes::kLanes. Every thread has
// a copy of it. Nothing is written but what a thread keeps in its cache.
template <class AddUp>
std::vector<BestSet> best_over_sets(std::int64_t n_documents, const SetLanes& lanes, double beta, int n_threads,
                                    const std::atomic<bool>& stop, const AddUp& shared) {
    std::vector<BestSet> found(n_documents);
    std::vector<std::int32_t> sizes;
    for (const SetLanes::Size& of : lanes.sizes()) sizes.push_back(of.size);
    share_out(n_threads, SetLanes::blocks_of(n_documents), 4, [&](Items& items) {
        AddUp add_up = shared;
        Search search(lanes.n_labels(), sizes, beta);
        SetLanes::Sums sums(lanes);
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t i = block * SetLanes::kLanes;
            const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(SetLanes::kLanes, n_documents - i));
            add_up(i, count, sums);
            search.best(lanes, sums, count, found.data() + i);
        }
    });
    return found;
}

}  // namespace

std::vector<BestSet> maximize_expected_f(std::int64_t n_documents, std::int32_t n_labels, std::int32_t n_sizes,
                                         const double* joint, const double* empty, double beta, int n_threads,
                                         const std::atomic<bool>& stop) {
    std::vector<BestSet> found(n_documents);
    share_out(n_threads, n_documents, 16, [&](Items& items) {
        Search search(n_labels, all_sizes(n_sizes), beta);
        for (const std::int64_t i : items)
            if (!stop) found[i] = search.best(joint + i * n_labels * n_sizes, empty[i]);
    });
    return found;
}

std::vector<BestSet> maximize_expected_f_over_sets(std::int64_t n_documents, const LabelSets& sets,
                                                   const double* probability, double beta, int n_threads,
                                                   const std::atomic<bool>& stop) {
    const SetLanes& lanes = sets.lanes();
    return best_over_sets(n_documents, lanes, beta, n_threads, stop,
                          [&](std::int64_t first, std::int32_t count, SetLanes::Sums& sums) {
                              lanes.add_up(probability + first * sets.n_sets(), count, sums);
                          });
}

std::vector<BestSet> maximize_expected_f_over_scores(std::int64_t n_documents, const LabelSets& sets,
                                                     const double* scores, const SetScaling& scaling, double beta,
                                                     int n_threads, const std::atomic<bool>& stop) {
    const SetLanes& lanes = sets.lanes();
    const std::int64_t n_sets = sets.n_sets();
    return best_over_sets(n_documents, lanes, beta, n_threads, stop,
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
    const SetLanes& lanes = sets.lanes();
    return best_over_sets(n_documents, lanes, beta, n_threads, stop,
                          [&, labels = IndependentSets(sets, lanes, scaling)](std::int64_t first, std::int32_t count,
                                                                              SetLanes::Sums& sums) mutable {
                              labels.add_up(logits + first * sets.n_labels(), count, sums);
                          });
}

}  // namespace setwise
