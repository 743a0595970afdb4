// Loops over the classes of a document, vectorised: matrices hold `stride` values a document, classes first, then
// padding that stays zero, so that every row is a whole number of vectors.
#pragma once

#include <cstdint>

#include "setwise/dispatch.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

inline constexpr std::int32_t kClassPad = 8;

inline std::int32_t padded(std::int32_t n_classes) {
    return (n_classes + kClassPad - 1) / kClassPad * kClassPad;
}

// Weighted mean of log sum_k e^{z_ik} - sum_k y_ik z_ik at z = scores + step * direction. Where `probability` is not
// null, fills probability and residual = weight (probability - y).
double softmax_loss(std::int32_t n, std::int32_t n_classes, std::int32_t stride, const double* scores,
                    const double* direction, double step, const double* y, const double* weight, double* probability,
                    double* residual);

namespace detail {

// out_k += sum_i x_ij rows_ik.
template <class Values, class Real>
SETWISE_INLINE void column_times(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const Real* rows,
                                 Real* out) {
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) {
        const Real x = static_cast<Real>(X.values[e]);
        const Real* row = rows + static_cast<std::int64_t>(X.indices[e]) * stride;
#pragma omp simd
        for (std::int32_t k = 0; k < stride; ++k) out[k] += x * row[k];
    }
}

// rows_ik += x_ij values_k.
template <class Values>
SETWISE_INLINE void column_spread(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const double* values,
                                  double* rows) {
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) {
        const double x = X.values[e];
        double* row = rows + static_cast<std::int64_t>(X.indices[e]) * stride;
#pragma omp simd
        for (std::int32_t k = 0; k < stride; ++k) row[k] += x * values[k];
    }
}

// bent_i += mass_i * x * (change - sum_c p_ic change_c): what a change of the scores does to the residuals.
SETWISE_INLINE void bend_row(std::int32_t stride, float x, const float* p, float mass, const float* change,
                             float* bent) {
    float mean = 0.0f;
#pragma omp simd reduction(+ : mean)
    for (std::int32_t k = 0; k < stride; ++k) mean += p[k] * change[k];
    const float scaled = mass * x;
#pragma omp simd
    for (std::int32_t k = 0; k < stride; ++k) bent[k] += scaled * p[k] * (change[k] - mean);
}

template <class Values>
SETWISE_INLINE void column_bend(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const float* p,
                                const float* mass, const float* change, float* bent) {
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) {
        const std::int64_t i = X.indices[e];
        bend_row(stride, static_cast<float>(X.values[e]), p + i * stride, mass[i], change, bent + i * stride);
    }
}

}  // namespace detail

template <class Values, class Real>
void column_times(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const Real* rows, Real* out) {
    dispatch<detail::column_times<Values, Real>>(X, j, stride, rows, out);
}

template <class Values>
void column_spread(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const double* values, double* rows) {
    dispatch<detail::column_spread<Values>>(X, j, stride, values, rows);
}

template <class Values>
void column_bend(const Columns<Values>& X, std::int32_t j, std::int32_t stride, const float* p, const float* mass,
                 const float* change, float* bent) {
    dispatch<detail::column_bend<Values>>(X, j, stride, p, mass, change, bent);
}

}  // namespace setwise
