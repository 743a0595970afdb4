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

SetsBySize::SetsBySize(const Columns<Ones>& sets, std::int32_t n_sizes) : n_sizes_(n_sizes), first_(n_sizes + 2, 0) {
    for (std::int32_t s = 0; s < sets.n_cols; ++s)
        if (sets.count(s) <= n_sizes) ++first_[sets.count(s) + 1];
    for (std::int32_t size = 0; size <= n_sizes; ++size) first_[size + 1] += first_[size];
    order_.resize(first_.back());
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    for (std::int32_t s = 0; s < sets.n_cols; ++s)
        if (sets.count(s) <= n_sizes) order_[next[sets.count(s)]++] = s;
    for (const std::int32_t s : order_)
        for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e)
            cells_.push_back(static_cast<std::int64_t>(sets.indices[e]) * n_sizes + sets.count(s) - 1);
}

double SetsBySize::add_to(const double* probability, double least, double* joint) const {
    double empty = 0.0;
    for (std::int64_t i = 0; i < first_[1]; ++i) {
        const double p = probability[order_[i]];
        if (!(p < least)) empty += p;
    }
    const std::int64_t* cell = cells_.data();
    for (std::int32_t size = 1; size <= n_sizes_; ++size)
        for (std::int64_t i = first_[size]; i < first_[size + 1]; ++i, cell += size) {
            const double p = probability[order_[i]];
            if (p < least) continue;
            for (std::int32_t e = 0; e < size; ++e) joint[cell[e]] += p;
        }
    return empty;
}

void size_marginals_of_sets(std::int64_t n_documents, const Columns<Ones>& sets, std::int32_t n_sizes,
                            const double* probability, double* joint, double* empty, int n_threads,
                            const std::atomic<bool>& stop) {
    const double least = least_probability(sets.n_cols);
    const SetsBySize by_size(sets, n_sizes);
#pragma omp parallel for schedule(dynamic, 16) num_threads(n_threads)
    for (std::int64_t i = 0; i < n_documents; ++i)
        if (!stop) empty[i] = by_size.add_to(probability + i * sets.n_cols, least, joint + i * sets.n_rows * n_sizes);
}

}  // namespace setwise
