// Passes over the documents for several labels at once: an entry of the matrix is read once, and used for all of them.
//
// A table has kWidth neighbouring values ("lanes") per feature or per document, one per label. What happens to a lane
// is the same for every width and whatever the other lanes hold, to the last bit: each sum has its own order, which
// depends on the document or the feature alone. A document that a pass leaves out would have added zeros.
//
// Documents are read twice in a row, first to gather and then to scatter: the second reading comes from the cache, and
// documents can be left out without a copy of the matrix.
#pragma once

#include <cstdint>

#include "setwise/dispatch.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// sum_j x_ij table_j, for each lane. Four partial sums, so that no addition waits for the one before. kStride is from
// one feature's lanes to the next one's.
template <int kWidth, std::int64_t kStride, class Values, class Real>
SETWISE_INLINE void gather_lanes(const Columns<Values>& rows, std::int32_t i, const Real* table, Real* sum) {
    const std::int64_t end = rows.end(i);
    std::int64_t e = rows.begin(i);
    Real a[kWidth] = {}, b[kWidth] = {}, c[kWidth] = {}, d[kWidth] = {};
    for (; e + 4 <= end; e += 4) {
        const Real xa = static_cast<Real>(rows.values[e]), xb = static_cast<Real>(rows.values[e + 1]);
        const Real xc = static_cast<Real>(rows.values[e + 2]), xd = static_cast<Real>(rows.values[e + 3]);
        const Real* ta = table + kStride * rows.indices[e];
        const Real* tb = table + kStride * rows.indices[e + 1];
        const Real* tc = table + kStride * rows.indices[e + 2];
        const Real* td = table + kStride * rows.indices[e + 3];
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) {
            a[l] += xa * ta[l];
            b[l] += xb * tb[l];
            c[l] += xc * tc[l];
            d[l] += xd * td[l];
        }
    }
    for (; e < end; ++e) {
        const Real x = static_cast<Real>(rows.values[e]);
        const Real* t = table + kStride * rows.indices[e];
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) a[l] += x * t[l];
    }
#pragma omp simd
    for (int l = 0; l < kWidth; ++l) sum[l] = (a[l] + b[l]) + (c[l] + d[l]);
}

// table_j += x_ij share, for each lane.
template <int kWidth, std::int64_t kStride, class Values, class Real>
SETWISE_INLINE void scatter_lanes(const Columns<Values>& rows, std::int32_t i, const Real* share, Real* table) {
    Real s[kWidth];
    for (int l = 0; l < kWidth; ++l) s[l] = share[l];
    for (std::int64_t e = rows.begin(i); e < rows.end(i); ++e) {
        const Real x = static_cast<Real>(rows.values[e]);
        Real* t = table + kStride * rows.indices[e];
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) t[l] += x * s[l];
    }
}

// The products of all documents with the weights.
template <int kWidth, class Values>
SETWISE_INLINE void score_kernel(const Columns<Values>& rows, const double* weights, double* products) {
    for (std::int32_t i = 0; i < rows.n_cols; ++i)
        gather_lanes<kWidth, kWidth>(rows, i, weights, products + static_cast<std::int64_t>(kWidth) * i);
}

// The gradient sum_i residual_i x_i, and the diagonal of the Hessian sum_i curvature_i x_i x_i'.
template <int kWidth>
struct DerivativePass {
    const std::int32_t* documents;  // those with slope or curvature in any lane
    std::int32_t n_documents;
    const double* residual;  // documents x lanes
    const float* curvature;  // documents x lanes
    double* gradient;        // features x lanes, added to
    float* diagonal;         // features x lanes, added to
};

template <int kWidth, class Values>
SETWISE_INLINE void derivative_kernel(const Columns<Values>& rows, const DerivativePass<kWidth>& pass) {
    for (std::int32_t k = 0; k < pass.n_documents; ++k) {
        const std::int32_t i = pass.documents[k];
        double residual[kWidth];
        float curvature[kWidth];
        for (int l = 0; l < kWidth; ++l) {
            residual[l] = pass.residual[static_cast<std::int64_t>(kWidth) * i + l];
            curvature[l] = pass.curvature[static_cast<std::int64_t>(kWidth) * i + l];
        }
        for (std::int64_t e = rows.begin(i); e < rows.end(i); ++e) {
            const double x = rows.values[e];
            const float x_squared = static_cast<float>(x) * static_cast<float>(x);
            double* gradient = pass.gradient + static_cast<std::int64_t>(kWidth) * rows.indices[e];
            float* diagonal = pass.diagonal + static_cast<std::int64_t>(kWidth) * rows.indices[e];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) gradient[l] += x * residual[l];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) diagonal[l] += x_squared * curvature[l];
        }
    }
}

// The product of a Hessian with a move, H = sum_i curvature_i x_i x_i', in single precision.
template <int kWidth>
struct HessianPass {
    const std::int32_t* documents;  // those with curvature in any lane
    std::int32_t n_documents;
    const float* curvature;  // documents x lanes
    const float* move_b;     // lanes: of the intercept
    float* lines;            // features x (lanes of the move, lanes of the product): one cache line holds both
    float* product_b;        // lanes
    double* bend;            // lanes: move' H move
};

template <int kWidth, class Values>
SETWISE_INLINE void hessian_kernel(const Columns<Values>& rows, const HessianPass<kWidth>& pass) {
    float total[kWidth] = {}, move_b[kWidth];
    double bend[kWidth] = {};
    for (int l = 0; l < kWidth; ++l) move_b[l] = pass.move_b[l];
    for (std::int32_t k = 0; k < pass.n_documents; ++k) {
        const std::int32_t i = pass.documents[k];
        const float* curvature = pass.curvature + static_cast<std::int64_t>(kWidth) * i;
        float pull[kWidth];
        gather_lanes<kWidth, 2 * kWidth>(rows, i, static_cast<const float*>(pass.lines), pull);
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) {
            const float along = pull[l] + move_b[l];
            pull[l] = curvature[l] * along;
            total[l] += pull[l];
            bend[l] += static_cast<double>(pull[l]) * along;
        }
        scatter_lanes<kWidth, 2 * kWidth>(rows, i, pull, pass.lines + kWidth);
    }
    for (int l = 0; l < kWidth; ++l) {
        pass.product_b[l] = total[l];
        pass.bend[l] = bend[l];
    }
}

}  // namespace setwise
