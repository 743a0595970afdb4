// Products with one column of a sparse matrix, and the sum of two vectors.
#pragma once

#include <cstdint>

#include "setwise/dispatch.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// sum_i x_ij v_i. Four partial sums, so that no addition waits for the one before.
template <class Values, class Real>
SETWISE_INLINE Real column_dot(const Columns<Values>& X, std::int32_t j, const Real* v) {
    const std::int64_t end = X.end(j);
    std::int64_t e = X.begin(j);
    Real a = 0, b = 0, c = 0, d = 0;
    for (; e + 4 <= end; e += 4) {
        a += static_cast<Real>(X.values[e]) * v[X.indices[e]];
        b += static_cast<Real>(X.values[e + 1]) * v[X.indices[e + 1]];
        c += static_cast<Real>(X.values[e + 2]) * v[X.indices[e + 2]];
        d += static_cast<Real>(X.values[e + 3]) * v[X.indices[e + 3]];
    }
    for (; e < end; ++e) a += static_cast<Real>(X.values[e]) * v[X.indices[e]];
    return (a + b) + (c + d);
}

// sum_i x_ij^2 v_i.
template <class Values, class Real>
SETWISE_INLINE Real column_square_dot(const Columns<Values>& X, std::int32_t j, const Real* v) {
    const std::int64_t end = X.end(j);
    std::int64_t e = X.begin(j);
    Real a = 0, b = 0;
    for (; e + 2 <= end; e += 2) {
        const Real x0 = static_cast<Real>(X.values[e]), x1 = static_cast<Real>(X.values[e + 1]);
        a += x0 * x0 * v[X.indices[e]];
        b += x1 * x1 * v[X.indices[e + 1]];
    }
    for (; e < end; ++e) {
        const Real x = static_cast<Real>(X.values[e]);
        a += x * x * v[X.indices[e]];
    }
    return a + b;
}

// v_i += scale * x_ij.
template <class Values, class Real>
SETWISE_INLINE void column_add(const Columns<Values>& X, std::int32_t j, Real scale, Real* v) {
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) v[X.indices[e]] += scale * static_cast<Real>(X.values[e]);
}

// v_i += scale * x_ij * factor_i.
template <class Values, class Real>
SETWISE_INLINE void column_add_scaled(const Columns<Values>& X, std::int32_t j, Real scale, const Real* factor,
                                      Real* v) {
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) {
        const std::int32_t i = X.indices[e];
        v[i] += scale * static_cast<Real>(X.values[e]) * factor[i];
    }
}

// y += a x, over consecutive entries.
SETWISE_INLINE void add_scaled(std::int32_t n, float a, const float* x, float* y) {
#pragma omp simd
    for (std::int32_t k = 0; k < n; ++k) y[k] += a * x[k];
}

}  // namespace setwise
