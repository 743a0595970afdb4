#include "setwise/support_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "class_kernels.hpp"
#include "setwise/dispatch.hpp"
#include "setwise/parallel.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

// Documents side by side, so that a set's score is a sum of whole vectors; one buffer of sets x kLanes stays in cache.
constexpr std::int32_t kLanes = 16;

// Sums over documents are taken in parts of this many and then part by part, so that threads do not change their bits.
constexpr std::int32_t kPart = 512;

struct Block {
    std::int32_t first;
    std::int32_t count;  // at most kLanes; the lanes beyond repeat the last document and count for nothing
};

// Buffers of one thread.
struct Lanes {
    std::vector<double> scores;    // labels x kLanes
    std::vector<double> weight;    // sets x kLanes: scores of the sets, then their exponentials
    std::vector<double> expected;  // labels x kLanes

    Lanes(std::int32_t n_labels, std::int32_t n_sets)
        : scores(static_cast<std::size_t>(n_labels) * kLanes),
          weight(static_cast<std::size_t>(n_sets) * kLanes),
          expected(static_cast<std::size_t>(n_labels) * kLanes) {}
};

SETWISE_INLINE void sum_lanes(const WeighedSets& sets, const Block& block, std::int64_t stride, Lanes& lanes,
                              const SupportSums& sums, double* set_mass) {
    const Columns<Ones>& labels = sets.labels;
    double largest[kLanes], total[kLanes], scale[kLanes];
    std::int32_t best[kLanes] = {};
    for (std::int32_t k = 0; k < kLanes; ++k) largest[k] = -std::numeric_limits<double>::infinity();

    for (std::int32_t s = 0; s < labels.n_cols; ++s) {
        double score[kLanes];
        for (std::int32_t k = 0; k < kLanes; ++k) score[k] = sets.bias[s];
        for (std::int64_t e = labels.begin(s); e < labels.end(s); ++e) {
            const double* z = lanes.scores.data() + static_cast<std::int64_t>(labels.indices[e]) * kLanes;
#pragma omp simd
            for (std::int32_t k = 0; k < kLanes; ++k) score[k] += z[k];
        }
        double* out = lanes.weight.data() + static_cast<std::int64_t>(s) * kLanes;
#pragma omp simd
        for (std::int32_t k = 0; k < kLanes; ++k) {
            out[k] = score[k];
            best[k] = score[k] > largest[k] ? s : best[k];
            largest[k] = score[k] > largest[k] ? score[k] : largest[k];
        }
    }

    for (std::int32_t k = 0; k < kLanes; ++k) total[k] = 0.0;
    for (std::int32_t s = 0; s < labels.n_cols; ++s) {
        double* weight = lanes.weight.data() + static_cast<std::int64_t>(s) * kLanes;
#pragma omp simd
        for (std::int32_t k = 0; k < kLanes; ++k) {
            weight[k] = exp_of_negative(weight[k] - largest[k]);
            total[k] += weight[k];
        }
    }
    for (std::int32_t k = 0; k < block.count; ++k) {
        if (sums.log_partition) sums.log_partition[block.first + k] = largest[k] + std::log(total[k]);
        if (sums.best) sums.best[block.first + k] = best[k];
    }
    if (!sums.expected) return;

    for (std::int32_t k = 0; k < kLanes; ++k) scale[k] = k < block.count ? 1.0 / total[k] : 0.0;
    std::fill(lanes.expected.begin(), lanes.expected.end(), 0.0);
    for (std::int32_t s = 0; s < labels.n_cols; ++s) {
        const double* weight = lanes.weight.data() + static_cast<std::int64_t>(s) * kLanes;
        double p[kLanes];
        double mass = 0.0;
#pragma omp simd reduction(+ : mass)
        for (std::int32_t k = 0; k < kLanes; ++k) {
            p[k] = weight[k] * scale[k];
            mass += p[k];
        }
        if (set_mass) set_mass[s] += mass;
        for (std::int64_t e = labels.begin(s); e < labels.end(s); ++e) {
            double* expected = lanes.expected.data() + static_cast<std::int64_t>(labels.indices[e]) * kLanes;
#pragma omp simd
            for (std::int32_t k = 0; k < kLanes; ++k) expected[k] += p[k];
        }
    }
    for (std::int32_t k = 0; k < block.count; ++k) {
        double* row = sums.expected + (block.first + k) * stride;
        for (std::int32_t l = 0; l < labels.n_rows; ++l)
            row[l] = lanes.expected[static_cast<std::size_t>(l) * kLanes + k];
    }
}

void sum_block(const WeighedSets& sets, const Block& block, std::int64_t stride, const double* scores, Lanes& lanes,
               const SupportSums& sums, double* set_mass) {
    for (std::int32_t k = 0; k < kLanes; ++k) {
        const double* row = scores + (block.first + std::min(k, block.count - 1)) * stride;
        for (std::int32_t l = 0; l < sets.labels.n_rows; ++l)
            lanes.scores[static_cast<std::size_t>(l) * kLanes + k] = row[l];
    }
    dispatch<sum_lanes>(sets, block, stride, lanes, sums, set_mass);
}

std::int32_t parts_of(std::int32_t n_documents) {
    return (n_documents + kPart - 1) / kPart;
}

// Row i of the product of rows and weights: the scores of document i.
template <class Values>
void score_documents(const FeatureMatrix<Values>& features, std::int64_t stride, const double* weights,
                     const double* intercept, int n_threads, double* scores) {
    const std::int32_t n = features.rows.n_cols;
    share_out(n_threads, n, 64, [&](Items& items) {
        for (const std::int64_t i : items) {
            double* row = scores + i * stride;
            std::copy(intercept, intercept + stride, row);
            column_times(features.rows, static_cast<std::int32_t>(i), static_cast<std::int32_t>(stride), weights, row);
        }
    });
}

}  // namespace

void sum_over_sets(const WeighedSets& sets, std::int32_t n_documents, std::int64_t stride, const double* scores,
                   const SupportSums& sums, double* set_mass, int n_threads, const std::atomic<bool>& stop) {
    const std::int32_t n_sets = sets.labels.n_cols, n_parts = parts_of(n_documents);
    std::vector<double> masses(set_mass ? static_cast<std::size_t>(n_parts) * n_sets : 0, 0.0);
    share_out(n_threads, n_parts, 1, [&](Items& items) {
        Lanes lanes(sets.labels.n_rows, n_sets);
        for (const std::int64_t at : items) {
            const auto part = static_cast<std::int32_t>(at);
            double* mass = set_mass ? masses.data() + static_cast<std::int64_t>(part) * n_sets : nullptr;
            const std::int32_t end = std::min(n_documents, (part + 1) * kPart);
            for (std::int32_t i = part * kPart; i < end && !stop; i += kLanes)
                sum_block(sets, {i, std::min(kLanes, end - i)}, stride, scores, lanes, sums, mass);
        }
    });
    if (!set_mass) return;
    std::fill(set_mass, set_mass + n_sets, 0.0);
    for (std::int32_t part = 0; part < n_parts; ++part)
        for (std::int32_t s = 0; s < n_sets; ++s) set_mass[s] += masses[static_cast<std::size_t>(part) * n_sets + s];
}

template <class Values>
LikelihoodGradient support_likelihood(const FeatureMatrix<Values>& features, const WeighedSets& sets,
                                      const std::int32_t* own_set, std::int64_t stride, const double* weights,
                                      const double* intercept, int n_threads, const std::atomic<bool>& stop) {
    const std::int32_t n = features.rows.n_cols, n_features = features.columns.n_cols, n_sets = sets.labels.n_cols;
    const double share = 1.0 / n;
    // Not filled with zeros first: that alone would take one thread a while.
    const auto scores = std::make_unique_for_overwrite<double[]>(n * stride);
    std::vector<double> log_partition(n);
    score_documents(features, stride, weights, intercept, n_threads, scores.get());

    LikelihoodGradient found;
    for (std::int32_t i = 0; i < n; ++i) {
        found.loss -= sets.bias[own_set[i]];
        for (std::int64_t e = sets.labels.begin(own_set[i]); e < sets.labels.end(own_set[i]); ++e)
            found.loss -= scores[i * stride + sets.labels.indices[e]];
    }
    // A block reads its scores before it writes what it expects, so one matrix serves for both.
    found.set_mass.resize(n_sets);
    sum_over_sets(sets, n, stride, scores.get(), {log_partition.data(), nullptr, scores.get()}, found.set_mass.data(),
                  n_threads, stop);
    for (std::int32_t i = 0; i < n; ++i) found.loss += log_partition[i];
    found.loss *= share;
    for (std::int32_t i = 0; i < n; ++i) found.set_mass[own_set[i]] -= 1.0;
    for (double& mass : found.set_mass) mass *= share;

    double* residual = scores.get();
    const std::int32_t n_parts = parts_of(n);
    std::vector<double> by_part(n_parts * stride, 0.0);
    found.intercept.assign(stride, 0.0);
    found.weights.resize(n_features * stride);
    share_out(n_threads, n_parts, 1, [&](Items& items) {
        for (const std::int64_t at : items) {
            const auto part = static_cast<std::int32_t>(at);
            double* total = by_part.data() + part * stride;
            for (std::int32_t i = part * kPart; i < std::min(n, (part + 1) * kPart); ++i) {
                double* row = residual + i * stride;
                for (std::int64_t e = sets.labels.begin(own_set[i]); e < sets.labels.end(own_set[i]); ++e)
                    row[sets.labels.indices[e]] -= 1.0;
                for (std::int64_t l = 0; l < stride; ++l) total[l] += row[l] *= share;
            }
        }
    });
    share_out(n_threads, n_features, 16, [&](Items& items) {
        for (const std::int64_t j : items)
            if (!stop)
                column_times(features.columns, static_cast<std::int32_t>(j), static_cast<std::int32_t>(stride),
                             residual, found.weights.data() + j * stride);
    });
    for (std::int32_t part = 0; part < n_parts; ++part)
        for (std::int64_t l = 0; l < stride; ++l) found.intercept[l] += by_part[part * stride + l];
    return found;
}

#define SETWISE_INSTANTIATE(Values)                                                                                 \
    template LikelihoodGradient support_likelihood(const FeatureMatrix<Values>&, const WeighedSets&,                \
                                                   const std::int32_t*, std::int64_t, const double*, const double*, \
                                                   int, const std::atomic<bool>&);
SETWISE_INSTANTIATE(Ones)
SETWISE_INSTANTIATE(const float*)
SETWISE_INSTANTIATE(const double*)
#undef SETWISE_INSTANTIATE

}  // namespace setwise
