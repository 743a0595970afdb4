#include "setwise/set_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "setwise/dispatch.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

SETWISE_INLINE void softmax_body(std::int32_t n_sets, double* row) {
    constexpr double kNothing = -708.0;  // e to the power of less is no normal number
    double largest = -std::numeric_limits<double>::infinity();
#pragma omp simd reduction(max : largest)
    for (std::int32_t s = 0; s < n_sets; ++s) largest = row[s] > largest ? row[s] : largest;
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

SETWISE_TARGET_AVX2 void softmax_avx2(std::int32_t n_sets, double* row) {
    softmax_body(n_sets, row);
}

}  // namespace

void softmax_rows(std::int64_t n_documents, std::int32_t n_sets, double* scores, int n_threads,
                  const std::atomic<bool>& stop) {
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (std::int64_t i = 0; i < n_documents; ++i) {
        if (stop) continue;
        if (machine_has_avx2())
            softmax_avx2(n_sets, scores + i * n_sets);
        else
            softmax_body(n_sets, scores + i * n_sets);
    }
}

double least_probability(std::int32_t n_sets) {
    return std::numeric_limits<double>::epsilon() / 2.0 / n_sets;
}

double add_sets(const Columns<Ones>& sets, const double* probability, double least, std::int32_t n_sizes,
                double* joint) {
    double empty = 0.0;
    for (std::int32_t s = 0; s < sets.n_cols; ++s) {
        const double p = probability[s];
        if (p < least) continue;
        const auto size = static_cast<std::int32_t>(sets.count(s));
        if (size == 0) empty += p;
        if (size > n_sizes) continue;
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e)
            joint[static_cast<std::int64_t>(sets.indices[e]) * n_sizes + size - 1] += p;
    }
    return empty;
}

void size_marginals_of_sets(std::int64_t n_documents, const Columns<Ones>& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop) {
    const double least = least_probability(sets.n_cols);
#pragma omp parallel for schedule(dynamic, 16) num_threads(n_threads)
    for (std::int64_t i = 0; i < n_documents; ++i)
        if (!stop)
            empty[i] = add_sets(sets, probability + i * sets.n_cols, least, n_sizes, joint + i * sets.n_rows * n_sizes);
}

}  // namespace setwise
