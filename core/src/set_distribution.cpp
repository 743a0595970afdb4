#include "setwise/set_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The softmax of a row whose largest score is known.
SETWISE_INLINE void softmax_below(double largest, std::int32_t n_sets, double* row) {
    constexpr double kNothing = -708.0;  // e to the power of less is no normal number
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t s = 0; s < n_sets; ++s) {
        const double below = row[s] - largest;
        row[s] = below < kNothing ? 0.0 : exp_of_negative(below);
        total += row[s];
    }
    const double scale = 1.0 / total;
#pragma omp simd
    for (std::int32_t s = 0; s < n_sets; ++s) row[s] *= scale;
}

SETWISE_INLINE void softmax(std::int32_t n_sets, double* row) {
    double largest = kNever;
#pragma omp simd reduction(max : largest)
    for (std::int32_t s = 0; s < n_sets; ++s) largest = row[s] > largest ? row[s] : largest;
    softmax_below(largest, n_sets, row);
}

SETWISE_INLINE void softmax_of_calibrated(std::int32_t n_sets, const double* scores, const SetScaling& scaling,
                                          double* out) {
    const double scale = scaling.scale;
    const double* const bias = scaling.bias;
    double largest = kNever;
#pragma omp simd reduction(max : largest)
    for (std::int32_t s = 0; s < n_sets; ++s) {
        out[s] = scores[s] == kNever ? kNever : scale * scores[s] + bias[s];
        largest = out[s] > largest ? out[s] : largest;
    }
    softmax_below(largest, n_sets, out);
}

constexpr std::int32_t kLanes = SetLanes::kLanes;

// One value per lane, in two registers; `auto` would forget that memory holds them.
struct Lanes {
    HalfLanes low, high;

    SETWISE_INLINE static Lanes all(double value) { return {HalfLanes{} + value, HalfLanes{} + value}; }
    SETWISE_INLINE static Lanes at(const double* from) {
        const auto* halves = reinterpret_cast<const HalfLanes*>(from);
        return {halves[0], halves[1]};
    }
    SETWISE_INLINE void put(double* to) const {
        auto* halves = reinterpret_cast<HalfLanes*>(to);
        halves[0] = low;
        halves[1] = high;
    }
    SETWISE_INLINE void add_to(double* to) const {
        auto* halves = reinterpret_cast<HalfLanes*>(to);
        halves[0] += low;
        halves[1] += high;
    }
};

SETWISE_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
    return {a.low + b.low, a.high + b.high};
}
SETWISE_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
    return {a.low * b.low, a.high * b.high};
}
SETWISE_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
    return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
SETWISE_INLINE Lanes smaller(const Lanes& a, const Lanes& b) {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

// The sets of one size, as kernels read them.
struct SetsOfSize {
    std::int32_t size, n_sets;
    const std::int32_t* labels;  // of each set, one after the other
    const std::int32_t* pairs;   // of each label with the size
};

// Calls work(size) with a size that the compiler knows where it is a usual one: loops over the labels of a set are then
// unrolled, and no branch depends on the set.
template <class Work>
SETWISE_INLINE Lanes with_size(std::int32_t size, const Work& work) {
    switch (size) {
        case 1:
            return work(std::integral_constant<std::int32_t, 1>{});
        case 2:
            return work(std::integral_constant<std::int32_t, 2>{});
        case 3:
            return work(std::integral_constant<std::int32_t, 3>{});
        case 4:
            return work(std::integral_constant<std::int32_t, 4>{});
        case 5:
            return work(std::integral_constant<std::int32_t, 5>{});
        case 6:
            return work(std::integral_constant<std::int32_t, 6>{});
        default:
            return work(size);
    }
}

// Adds sets of one size to the lanes; returns what all of them weigh. A lane below `least` adds zero, which changes no
// bit; where all lanes are, nothing is done.
struct AddProbabilities {
    const SetsOfSize& sets;
    const std::int32_t* order;
    double least;
    const double* const* rows;
    double* sums;

    template <class Size>
    SETWISE_INLINE Lanes operator()(Size size) const {
        Lanes total = Lanes::all(0.0);
        const std::int32_t* pairs = sets.pairs;
        for (std::int32_t at = 0; at < sets.n_sets; ++at, pairs += size) {
            alignas(64) double p[kLanes];
            double largest = 0.0;
            for (std::int32_t k = 0; k < kLanes; ++k) {
                const double given = rows[k][order[at]];
                p[k] = given < least ? 0.0 : given;
                largest = p[k] > largest ? p[k] : largest;
            }
            if (largest == 0.0) continue;
            const Lanes weight = Lanes::at(p);
            total = total + weight;
            for (std::int32_t e = 0; e < size; ++e) weight.add_to(sums + std::int64_t{kLanes} * pairs[e]);
        }
        return total;
    }
};

SETWISE_INLINE void add_up_probabilities(const AddProbabilities& add, double* total) {
    with_size(add.sets.size, add).put(total);
}

// The same where the weight of a set is `start`, one value per lane, times its factor and the odds of its labels.
struct AddProducts {
    const SetsOfSize& sets;
    const Lanes& start;
    const double *factors, *odds;
    double* sums;

    template <class Size>
    SETWISE_INLINE Lanes operator()(Size size) const {
        Lanes total = Lanes::all(0.0);
        const Lanes first = start;
        const std::int32_t *labels = sets.labels, *pairs = sets.pairs;
        for (std::int32_t at = 0; at < sets.n_sets; ++at, labels += size, pairs += size) {
            Lanes weight = first * Lanes::all(factors[at]);
            for (std::int32_t e = 0; e < size; ++e)
                weight = weight * Lanes::at(odds + std::int64_t{kLanes} * labels[e]);
            total = total + weight;
            for (std::int32_t e = 0; e < size; ++e) weight.add_to(sums + std::int64_t{kLanes} * pairs[e]);
        }
        return total;
    }
};

constexpr int kTop = 4;

// The largest odds of each lane, falling: kTop rows of lanes, which come in as zeros.
SETWISE_INLINE void largest_odds(std::int32_t n_labels, const double* odds, double* top) {
    Lanes best[kTop];
    for (int t = 0; t < kTop; ++t) best[t] = Lanes::at(top + t * kLanes);
    for (std::int32_t l = 0; l < n_labels; ++l) {
        Lanes next = Lanes::at(odds + std::int64_t{kLanes} * l);
        for (int t = 0; t < kTop; ++t) {
            const Lanes least = smaller(best[t], next);
            best[t] = larger(best[t], next);
            next = least;
        }
    }
    for (int t = 0; t < kTop; ++t) best[t].put(top + t * kLanes);
}

// What the sums over products read, and where they leave their sums.
struct Products {
    const SetLanes::Size* sizes;
    std::size_t n_sizes;
    std::int32_t n_labels;
    const std::int32_t *labels, *pairs;
    const double *factors, *highest;  // of the sets that are not empty, and of each size
    const double* odds;
    double empty;  // factor of the empty sets
    double least;
    SetLanes::Sums* sums;
};

// Sizes follow one another from the smallest. A size is left out in the lanes where none of its sets can weigh `least`
// of what the sets before it weigh together. For a set of s labels weighs at most the highest factor of the size times
// the s largest odds, of which those beyond the first kTop are at most the last of these. What is left out, n_sets sets
// at most, then weighs no more than the rounding of the whole.
SETWISE_INLINE void add_up_odds(const Products& products) {
    SetLanes::Sums& sums = *products.sums;
    alignas(64) double top[kTop * kLanes] = {}, kept[kLanes];
    largest_odds(products.n_labels, products.odds, top);
    Lanes total = Lanes::all(products.empty), bound = Lanes::all(1.0);
    std::int32_t bounded = 0;  // labels
    for (std::size_t g = 0; g < products.n_sizes; ++g) {
        const SetLanes::Size& of = products.sizes[g];
        for (; bounded < of.size; ++bounded) bound = bound * Lanes::at(top + std::min(bounded, kTop - 1) * kLanes);
        const Lanes most = bound * Lanes::all(products.highest[g]), enough = total * Lanes::all(products.least);
        const Lanes one = Lanes::all(1.0), none = Lanes::all(0.0);
        const Lanes start{most.low < enough.low ? none.low : one.low, most.high < enough.high ? none.high : one.high};
        start.put(kept);
        double n_kept = 0.0;
        for (const double lane : kept) n_kept += lane;
        if (n_kept == 0.0) continue;
        const SetsOfSize sets{of.size, of.end_set - of.first_set, products.labels + of.first_entry,
                              products.pairs + of.first_entry};
        const Lanes added = with_size(
            of.size, AddProducts{sets, start, products.factors + of.first_set, products.odds, sums.pairs.data()});
        added.put(sums.sizes.data() + g * kLanes);
        total = total + added;
    }
    Lanes::all(products.empty).put(sums.empty);
    const Lanes share{1.0 / total.low, 1.0 / total.high};
    share.put(sums.share);
}

// The log of the largest product of odds in each lane; infinite where a logit is no finite number.
SETWISE_INLINE void largest_products(std::int32_t n_labels, double scale, const double* logits, double* largest) {
    double most[kLanes] = {};
    for (std::int32_t l = 0; l < n_labels; ++l, logits += kLanes) {
#pragma omp simd
        for (std::int32_t k = 0; k < kLanes; ++k) {
            const double logit = scale * logits[k];
            const double finite = std::abs(logit) <= std::numeric_limits<double>::max() ? logit : -kNever;
            most[k] += finite > 0.0 ? finite : 0.0;
        }
    }
    std::copy(most, most + kLanes, largest);
}

// odds = e^(scale * logit)
SETWISE_INLINE void odds_of_logits(std::int32_t n, double scale, double* values) {
#pragma omp simd
    for (std::int32_t j = 0; j < n; ++j) {
        const double logit = scale * values[j], least = exp_of_negative(-std::abs(logit));
        values[j] = logit > 0.0 ? 1.0 / least : least;
    }
}

// Products of odds are used where none of them is beyond e to the power of this, ...
constexpr double kMostOfAProduct = 300.0;

// ... and where all sets together weigh at least this. A product that any step takes below the normal numbers, 2e-308,
// is inexact. The labels that are still to come would raise it to 2e-308 * e^300 = 4e-178 at most, which is too little
// for the sum to feel it, whatever the number of sets.
constexpr double kLeastTotal = 1e-150;

}  // namespace

void softmax_rows(std::int64_t n_documents, std::int32_t n_sets, double* scores, int n_threads,
                  const std::atomic<bool>& stop) {
    share_out(n_threads, n_documents, 16, [&](Items& items) {
        for (const std::int64_t i : items) {
            if (!stop) dispatch<softmax>(n_sets, scores + i * n_sets);
        }
    });
}

void calibrated_softmax(std::int32_t n_sets, const double* scores, const SetScaling& scaling, double* probability) {
    dispatch<softmax_of_calibrated>(n_sets, scores, scaling, probability);
}

void calibrated_softmax_rows(std::int64_t n_documents, std::int32_t n_sets, const double* scores,
                             const SetScaling& scaling, double* probability, int n_threads,
                             const std::atomic<bool>& stop) {
    share_out(n_threads, n_documents, 16, [&](Items& items) {
        for (const std::int64_t i : items)
            if (!stop) calibrated_softmax(n_sets, scores + i * n_sets, scaling, probability + i * n_sets);
    });
}

double least_probability(std::int32_t n_sets) {
    return std::numeric_limits<double>::epsilon() / 2.0 / n_sets;
}

SetLanes::SetLanes(const LabelSets& label_sets)
    : n_labels_(label_sets.n_labels()),
      order_(label_sets.n_sets()),
      least_(least_probability(std::max(1, label_sets.n_sets()))) {
    const Columns<Ones> sets = label_sets.columns();
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int32_t a, std::int32_t b) { return sets.count(a) < sets.count(b); });
    while (n_empty_ < n_sets() && sets.count(order_[n_empty_]) == 0) ++n_empty_;
    labels_.reserve(static_cast<std::size_t>(sets.n_entries()));
    for (std::int32_t at = n_empty_; at < n_sets(); ++at) {
        const std::int32_t s = order_[at];
        const auto size = static_cast<std::int32_t>(sets.count(s));
        if (sizes_.empty() || sizes_.back().size != size)
            sizes_.push_back({size, at, at, static_cast<std::int64_t>(labels_.size()), 0, 0});
        ++sizes_.back().end_set;
        labels_.insert(labels_.end(), sets.indices + sets.begin(s), sets.indices + sets.end(s));
    }
    pairs_.assign(static_cast<std::size_t>(n_labels_) * sizes_.size(), -1);
    pair_of_entry_.resize(labels_.size());
    for (std::size_t g = 0; g < sizes_.size(); ++g) {
        const auto end = g + 1 < sizes_.size() ? sizes_[g + 1].first_entry : static_cast<std::int64_t>(labels_.size());
        for (std::int64_t e = sizes_[g].first_entry; e < end; ++e) pairs_[labels_[e] * sizes_.size() + g] = 0;
        sizes_[g].first_pair = static_cast<std::int32_t>(pair_labels_.size());
        for (std::int32_t l = 0; l < n_labels_; ++l) {
            if (pair(l, g) < 0) continue;
            pairs_[l * sizes_.size() + g] = static_cast<std::int32_t>(pair_labels_.size());
            pair_labels_.push_back(l);
        }
        sizes_[g].end_pair = static_cast<std::int32_t>(pair_labels_.size());
        for (std::int64_t e = sizes_[g].first_entry; e < end; ++e) pair_of_entry_[e] = pair(labels_[e], g);
    }
}

void SetLanes::Sums::clear() {
    std::fill(pairs.begin(), pairs.end(), 0.0);
    std::fill(sizes.begin(), sizes.end(), 0.0);
    std::fill_n(empty, kLanes, 0.0);
    std::fill_n(share, kLanes, 1.0);
}

void SetLanes::Sums::take_first(const Sums& other, std::int32_t lane) {
    for (std::size_t i = 0; i < pairs.size(); i += kLanes) pairs[i + lane] = other.pairs[i];
    for (std::size_t i = 0; i < sizes.size(); i += kLanes) sizes[i + lane] = other.sizes[i];
    empty[lane] = other.empty[0];
    share[lane] = other.share[0];
}

void SetLanes::add_up(const double* probability, std::int32_t count, Sums& sums) const {
    const double* rows[kLanes];  // the lanes beyond repeat the last document, and nobody reads them
    for (std::int32_t k = 0; k < kLanes; ++k)
        rows[k] = probability + static_cast<std::int64_t>(std::min(k, count - 1)) * n_sets();
    sums.clear();
    for (std::int32_t at = 0; at < n_empty_; ++at)
        for (std::int32_t k = 0; k < kLanes; ++k)
            sums.empty[k] += rows[k][order_[at]] < least_ ? 0.0 : rows[k][order_[at]];
    for (std::size_t g = 0; g < sizes_.size(); ++g) {
        const Size& of = sizes_[g];
        const SetsOfSize sets{of.size, of.end_set - of.first_set, labels_.data() + of.first_entry,
                              pair_of_entry_.data() + of.first_entry};
        const AddProbabilities add{sets, order_.data() + of.first_set, least_, rows, sums.pairs.data()};
        dispatch<add_up_probabilities>(add, sums.sizes.data() + g * kLanes);
    }
}

void SetLanes::write(const Sums& sums, std::int32_t lane, std::int32_t n_sizes, double* joint) const {
    for (const Size& of : sizes_) {
        if (of.size > n_sizes) break;
        for (std::int32_t p = of.first_pair; p < of.end_pair; ++p)
            joint[static_cast<std::int64_t>(pair_labels_[p]) * n_sizes + of.size - 1] =
                sums.pairs[static_cast<std::size_t>(p) * kLanes + lane] * sums.share[lane];
    }
}

IndependentSets::IndependentSets(const LabelSets& sets, const SetLanes& lanes, const SetScaling& scaling)
    : sets_(sets),
      lanes_(lanes),
      scaling_(scaling),
      factors_(sets.n_sets()),
      highest_(lanes.sizes_.size()),
      odds_(static_cast<std::size_t>(sets.n_labels()) * kLanes),
      alone_(lanes) {
    const auto [least, most] = std::minmax_element(scaling.bias, scaling.bias + sets.n_sets());
    factors_are_normal_ = std::isfinite(*most) && std::isfinite(*least);
    for (std::int32_t at = 0; at < sets.n_sets(); ++at) factors_[at] = std::exp(scaling.bias[lanes.order_[at]] - *most);
    for (std::size_t g = 0; g < highest_.size(); ++g)
        highest_[g] =
            *std::max_element(factors_.begin() + lanes.sizes_[g].first_set, factors_.begin() + lanes.sizes_[g].end_set);
    empty_ = std::accumulate(factors_.begin(), factors_.begin() + lanes.n_empty_, 0.0);
}

void IndependentSets::add_up(const double* logits, std::int32_t count, SetLanes::Sums& sums) {
    const std::int32_t n_labels = sets_.n_labels();
    std::fill(odds_.begin(), odds_.end(), 0.0);  // logits until they are odds; 0 where there is no document
    for (std::int32_t k = 0; k < count; ++k) {
        const double* const row = logits + static_cast<std::int64_t>(k) * n_labels;
        for (std::int32_t l = 0; l < n_labels; ++l) odds_[static_cast<std::size_t>(l) * kLanes + k] = row[l];
    }
    double largest[kLanes];
    dispatch<largest_products>(n_labels, scaling_.scale, odds_.data(), largest);
    for (std::int32_t k = 0; k < count; ++k) {
        normal_[k] = factors_are_normal_ && largest[k] <= kMostOfAProduct;
        for (std::int32_t l = 0; !normal_[k] && l < n_labels; ++l)
            odds_[static_cast<std::size_t>(l) * kLanes + k] = 0.0;
    }
    dispatch<odds_of_logits>(n_labels * kLanes, scaling_.scale, odds_.data());
    sums.clear();
    const Products products{lanes_.sizes_.data(),
                            lanes_.sizes_.size(),
                            n_labels,
                            lanes_.labels_.data(),
                            lanes_.pair_of_entry_.data(),
                            factors_.data(),
                            highest_.data(),
                            odds_.data(),
                            empty_,
                            lanes_.least_,
                            &sums};
    dispatch<add_up_odds>(products);
    for (std::int32_t k = 0; k < count; ++k) {
        if (normal_[k] && sums.share[k] <= 1.0 / kLeastTotal) continue;
        add_up_alone(logits + static_cast<std::int64_t>(k) * n_labels);
        sums.take_first(alone_, k);
    }
}

void IndependentSets::add_up_alone(const double* logits) {
    const Columns<Ones> sets = sets_.columns();
    scores_.assign(sets_.n_sets(), 0.0);
    probability_.resize(sets_.n_sets());
    for (std::int32_t s = 0; s < sets.n_cols; ++s)
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) scores_[s] += logits[sets.indices[e]];
    calibrated_softmax(sets_.n_sets(), scores_.data(), scaling_, probability_.data());
    lanes_.add_up(probability_.data(), 1, alone_);
}

void size_marginals_of_sets(std::int64_t n_documents, const LabelSets& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop) {
    const SetLanes& lanes = sets.lanes();
    share_out(n_threads, SetLanes::blocks_of(n_documents), 4, [&](Items& items) {
        SetLanes::Sums sums(lanes);
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t i = block * SetLanes::kLanes;
            const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(SetLanes::kLanes, n_documents - i));
            lanes.add_up(probability + i * sets.n_sets(), count, sums);
            for (std::int32_t k = 0; k < count; ++k) {
                lanes.write(sums, k, n_sizes, joint + (i + k) * sets.n_labels() * n_sizes);
                empty[i + k] = sums.empty[k] * sums.share[k];
            }
        }
    });
}

}  // namespace setwise
