#include "setwise/set_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// Adds the sets to the lanes. A lane below `least` adds zero, which changes no bit; where all lanes are, nothing is
// done.
SETWISE_INLINE void add_up_sets(const Columns<Ones>& sets, std::int32_t n_sizes, double least, const std::int32_t* pair,
                                const double* const* rows, double* sums, double* empty) {
    constexpr std::int32_t kLanes = SetLanes::kLanes;
    for (std::int32_t s = 0; s < sets.n_cols; ++s) {
        double p[kLanes];
        double largest = 0.0;
#pragma omp simd reduction(max : largest)
        for (std::int32_t k = 0; k < kLanes; ++k) {
            const double given = rows[k][s];
            p[k] = given < least ? 0.0 : given;
            largest = p[k] > largest ? p[k] : largest;
        }
        if (largest == 0.0) continue;
        const std::int64_t size = sets.count(s);
        if (size == 0)
            for (std::int32_t k = 0; k < kLanes; ++k) empty[k] += p[k];
        if (size > n_sizes) continue;
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            double* sum = sums + static_cast<std::int64_t>(pair[e]) * kLanes;
#pragma omp simd
            for (std::int32_t k = 0; k < kLanes; ++k) sum[k] += p[k];
        }
    }
}

// The same where weights of sets are products; the sums are scaled to a total of one at the end.
SETWISE_INLINE void add_up_weights(const Columns<Ones>& sets, std::int32_t n_sizes, const double* factors,
                                   const double* odds, const std::int32_t* pair, std::size_t n_pairs, double* sums,
                                   double* empty) {
    const HalfLanes* of_labels = reinterpret_cast<const HalfLanes*>(odds);  // `auto` would forget the alignment
    HalfLanes* of_pairs = reinterpret_cast<HalfLanes*>(sums);
    HalfLanes* of_empty = reinterpret_cast<HalfLanes*>(empty);
    HalfLanes total_low{}, total_high{};
    for (std::int32_t s = 0; s < sets.n_cols; ++s) {
        HalfLanes low = HalfLanes{} + factors[s], high = low;
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            const HalfLanes* of_label = of_labels + std::int64_t{2} * sets.indices[e];
            low *= of_label[0];
            high *= of_label[1];
        }
        total_low += low;
        total_high += high;
        const std::int64_t size = sets.count(s);
        if (size == 0) {
            of_empty[0] += low;
            of_empty[1] += high;
        }
        if (size > n_sizes) continue;
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            HalfLanes* sum = of_pairs + std::int64_t{2} * pair[e];
            sum[0] += low;
            sum[1] += high;
        }
    }
    const HalfLanes scale_low = 1.0 / total_low, scale_high = 1.0 / total_high;
    for (std::size_t p = 0; p < n_pairs; ++p, of_pairs += 2) {
        of_pairs[0] *= scale_low;
        of_pairs[1] *= scale_high;
    }
    of_empty[0] *= scale_low;
    of_empty[1] *= scale_high;
}

// odds = e^(scale * logit)
SETWISE_INLINE void odds_of_logits(std::int32_t n, double scale, double* values) {
#pragma omp simd
    for (std::int32_t j = 0; j < n; ++j) {
        const double logit = scale * values[j], least = exp_of_negative(-std::abs(logit));
        values[j] = logit > 0.0 ? 1.0 / least : least;
    }
}

// No product of odds and no factor is beyond e to the power of this, nor below its inverse.
constexpr double kMostOfAProduct = 300.0;

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

SetLanes::SetLanes(const LabelSets& label_sets, std::int32_t n_sizes)
    : sets_(label_sets.columns()),
      n_sizes_(n_sizes),
      least_(least_probability(label_sets.n_sets())),
      pair_(label_sets.n_entries(), -1) {
    const Columns<Ones>& sets = sets_;
    std::vector<std::int32_t> pair_of(static_cast<std::size_t>(sets.n_rows) * n_sizes, -1);
    for (std::int32_t s = 0; s < sets.n_cols; ++s) {
        if (sets.count(s) > n_sizes) continue;
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e) {
            const std::int64_t cell = static_cast<std::int64_t>(sets.indices[e]) * n_sizes + sets.count(s) - 1;
            if (pair_of[cell] < 0) {
                pair_of[cell] = static_cast<std::int32_t>(cells_.size());
                cells_.push_back(cell);
            }
            pair_[e] = pair_of[cell];
        }
    }
}

void SetLanes::add_up(const double* probability, std::int32_t count, Sums& sums) const {
    const double* rows[kLanes];  // the lanes beyond repeat the last document, and nobody reads them
    for (std::int32_t k = 0; k < kLanes; ++k)
        rows[k] = probability + static_cast<std::int64_t>(std::min(k, count - 1)) * sets_.n_cols;
    std::fill(sums.pairs.begin(), sums.pairs.end(), 0.0);
    std::fill_n(sums.empty, kLanes, 0.0);
    dispatch<add_up_sets>(sets_, n_sizes_, least_, pair_.data(), rows, sums.pairs.data(), sums.empty);
}

void SetLanes::write(const Sums& sums, std::int32_t lane, double* joint) const {
    for (std::size_t pair = 0; pair < cells_.size(); ++pair) joint[cells_[pair]] = sums.pairs[pair * kLanes + lane];
}

void SetLanes::add_up_products(const double* factors, const double* odds, Sums& sums) const {
    std::fill(sums.pairs.begin(), sums.pairs.end(), 0.0);
    std::fill_n(sums.empty, kLanes, 0.0);
    dispatch<add_up_weights>(sets_, n_sizes_, factors, odds, pair_.data(), cells_.size(), sums.pairs.data(),
                             sums.empty);
}

void SetLanes::Sums::take_first(const Sums& other, std::int32_t lane) {
    for (std::size_t i = 0; i < pairs.size(); i += kLanes) pairs[i + lane] = other.pairs[i];
    empty[lane] = other.empty[0];
}

IndependentSets::IndependentSets(const LabelSets& sets, const SetLanes& lanes, const SetScaling& scaling)
    : sets_(sets),
      lanes_(lanes),
      scaling_(scaling),
      factors_(sets.n_sets()),
      odds_(static_cast<std::size_t>(sets.n_labels()) * SetLanes::kLanes),
      alone_(lanes) {
    const auto [least, most] = std::minmax_element(scaling.bias, scaling.bias + sets.n_sets());
    for (std::int32_t s = 0; s < sets.n_sets(); ++s) factors_[s] = std::exp(scaling.bias[s] - *most);
    const bool factors_are_normal = *most - *least <= kMostOfAProduct;
    largest_logit_ = factors_are_normal ? kMostOfAProduct / std::max(1, sets.largest_size()) : -1.0;
}

bool IndependentSets::products_are_normal(const double* logits) const {
    double largest = 0.0;
    for (std::int32_t l = 0; l < sets_.n_labels(); ++l)
        largest = std::abs(logits[l]) <= largest ? largest : std::abs(logits[l]);  // which takes what is no number
    return std::abs(scaling_.scale) * largest <= largest_logit_;
}

void IndependentSets::add_up(const double* logits, std::int32_t count, SetLanes::Sums& sums) {
    constexpr std::int32_t kLanes = SetLanes::kLanes;
    const std::int32_t n_labels = sets_.n_labels();
    bool normal[kLanes] = {};
    std::fill(odds_.begin(), odds_.end(), 0.0);  // logits until they are odds; 0 where there is no document
    for (std::int32_t k = 0; k < count; ++k) {
        const double* const row = logits + static_cast<std::int64_t>(k) * n_labels;
        normal[k] = products_are_normal(row);
        for (std::int32_t l = 0; normal[k] && l < n_labels; ++l)
            odds_[static_cast<std::size_t>(l) * kLanes + k] = row[l];
    }
    dispatch<odds_of_logits>(n_labels * kLanes, scaling_.scale, odds_.data());
    lanes_.add_up_products(factors_.data(), odds_.data(), sums);
    for (std::int32_t k = 0; k < count; ++k) {
        if (normal[k]) continue;
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
    const SetLanes lanes(sets, n_sizes);
    share_out(n_threads, SetLanes::blocks_of(n_documents), 4, [&](Items& items) {
        SetLanes::Sums sums(lanes);
        for (const std::int64_t block : items) {
            if (stop) continue;
            const std::int64_t i = block * SetLanes::kLanes;
            const auto count = static_cast<std::int32_t>(std::min<std::int64_t>(SetLanes::kLanes, n_documents - i));
            lanes.add_up(probability + i * sets.n_sets(), count, sums);
            for (std::int32_t k = 0; k < count; ++k) {
                lanes.write(sums, k, joint + (i + k) * sets.n_labels() * n_sizes);
                empty[i + k] = sums.empty[k];
            }
        }
    });
}

}  // namespace setwise
