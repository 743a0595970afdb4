// Passes over the documents for several labels at once: an entry of the matrix is read once, and used for all of them.
//
// A table has kWidth neighbouring values ("lanes") per feature or per document, one per label. What happens to a lane
// is the same for every width and whatever the other lanes hold, to the last bit: each sum has its own order, which
// depends on the document or the feature alone. A document that a pass leaves out would have added zeros.
#pragma once

#include <cstdint>

#include "setwise/dispatch.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// sum_j x_ij table_j, for each lane. Four partial sums, so that no addition waits for the one before.
template <int kWidth, class Values, class Real>
SETWISE_INLINE void gather_lanes(const Columns<Values>& rows, std::int32_t i, const Real* table, Real* sum) {
    const std::int64_t end = rows.end(i);
    std::int64_t e = rows.begin(i);
    Real a[kWidth] = {}, b[kWidth] = {}, c[kWidth] = {}, d[kWidth] = {};
    for (; e + 4 <= end; e += 4) {
        const Real xa = static_cast<Real>(rows.values[e]), xb = static_cast<Real>(rows.values[e + 1]);
        const Real xc = static_cast<Real>(rows.values[e + 2]), xd = static_cast<Real>(rows.values[e + 3]);
        const Real* ta = table + std::int64_t{kWidth} * rows.indices[e];
        const Real* tb = table + std::int64_t{kWidth} * rows.indices[e + 1];
        const Real* tc = table + std::int64_t{kWidth} * rows.indices[e + 2];
        const Real* td = table + std::int64_t{kWidth} * rows.indices[e + 3];
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
        const Real* t = table + std::int64_t{kWidth} * rows.indices[e];
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) a[l] += x * t[l];
    }
#pragma omp simd
    for (int l = 0; l < kWidth; ++l) sum[l] = (a[l] + b[l]) + (c[l] + d[l]);
}

// The products of all documents with the weights.
template <int kWidth, class Values>
SETWISE_INLINE void score_kernel(const Columns<Values>& rows, const double* weights, double* products) {
    for (std::int32_t i = 0; i < rows.n_cols; ++i)
        gather_lanes<kWidth>(rows, i, weights, products + std::int64_t{kWidth} * i);
}

// The gradient sum_i residual_i x_i, and the diagonal of the Hessian sum_i curvature_i x_i x_i'. Columns are read: of
// the two sides of the matrix, the documents are the fewer to jump between.
template <int kWidth>
struct DerivativePass {
    const double* residual;  // documents x lanes
    const float* curvature;  // documents x lanes
    double* gradient;        // features x lanes
    float* diagonal;         // features x lanes
};

template <int kWidth, class Values>
SETWISE_INLINE void derivative_kernel(const Columns<Values>& columns, const DerivativePass<kWidth>& pass) {
    for (std::int32_t j = 0; j < columns.n_cols; ++j) {
        double slope[kWidth] = {};
        float bend[kWidth] = {};
        for (std::int64_t e = columns.begin(j); e < columns.end(j); ++e) {
            const double x = columns.values[e];
            const float x_squared = static_cast<float>(x) * static_cast<float>(x);
            const double* residual = pass.residual + std::int64_t{kWidth} * columns.indices[e];
            const float* curvature = pass.curvature + std::int64_t{kWidth} * columns.indices[e];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) slope[l] += x * residual[l];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) bend[l] += x_squared * curvature[l];
        }
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) pass.gradient[std::int64_t{kWidth} * j + l] = slope[l];
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) pass.diagonal[std::int64_t{kWidth} * j + l] = bend[l];
    }
}

// The first half of the product of a Hessian with a move, H = sum_i curvature_i x_i x_i': what each document pulls.
template <int kWidth>
struct PullPass {
    const std::int32_t* documents;  // those with curvature in any lane
    std::int32_t n_documents;
    const float* curvature;  // documents x lanes
    const float* move;       // features x lanes
    const float* move_b;     // lanes: of the intercept
    float* pull;             // documents x lanes: curvature_i x_i' move
    float* total;            // lanes: sum of the pulls
    double* bend;            // lanes: move' H move
};

template <int kWidth, class Values>
SETWISE_INLINE void pull_kernel(const Columns<Values>& rows, const PullPass<kWidth>& pass) {
    float total[kWidth] = {}, move_b[kWidth];
    double bend[kWidth] = {};
    for (int l = 0; l < kWidth; ++l) move_b[l] = pass.move_b[l];
    for (std::int32_t k = 0; k < pass.n_documents; ++k) {
        const std::int32_t i = pass.documents[k];
        const float* curvature = pass.curvature + std::int64_t{kWidth} * i;
        float* pull = pass.pull + std::int64_t{kWidth} * i;
        float along[kWidth];
        gather_lanes<kWidth>(rows, i, pass.move, along);
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) {
            const float whole = along[l] + move_b[l];
            const float pulled = curvature[l] * whole;
            pull[l] = pulled;
            total[l] += pulled;
            bend[l] += static_cast<double>(pulled) * whole;
        }
    }
    for (int l = 0; l < kWidth; ++l) {
        pass.total[l] = total[l];
        pass.bend[l] = bend[l];
    }
}

// The second half, product_j = sum_i x_ij pull_i, from all columns: documents that were left out must not pull.
template <int kWidth, class Values>
SETWISE_INLINE void product_by_columns_kernel(const Columns<Values>& columns, const float* pull, float* product) {
    for (std::int32_t j = 0; j < columns.n_cols; ++j) {
        float sum[kWidth] = {};
        for (std::int64_t e = columns.begin(j); e < columns.end(j); ++e) {
            const float x = static_cast<float>(columns.values[e]);
            const float* from = pull + std::int64_t{kWidth} * columns.indices[e];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) sum[l] += x * from[l];
        }
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) product[std::int64_t{kWidth} * j + l] = sum[l];
    }
}

// The same sums in the same order, from the rows of some documents; `product` starts at zero. Worth it where these
// documents are few: an entry costs more, but the others are not read.
template <int kWidth, class Values>
SETWISE_INLINE void product_by_rows_kernel(const Columns<Values>& rows, const std::int32_t* documents,
                                           std::int32_t n_documents, const float* pull, float* product) {
    for (std::int32_t k = 0; k < n_documents; ++k) {
        const std::int32_t i = documents[k];
        float from[kWidth];
        for (int l = 0; l < kWidth; ++l) from[l] = pull[std::int64_t{kWidth} * i + l];
        for (std::int64_t e = rows.begin(i); e < rows.end(i); ++e) {
            const float x = static_cast<float>(rows.values[e]);
            float* to = product + std::int64_t{kWidth} * rows.indices[e];
#pragma omp simd
            for (int l = 0; l < kWidth; ++l) to[l] += x * from[l];
        }
    }
}

}  // namespace setwise
