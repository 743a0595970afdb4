// The logistic loss over documents: values, residuals and curvatures, vectorised.
//
//     loss(z; y) = log(1 + e^z) - y z      residual = p - y      curvature = p (1 - p)      p = 1 / (1 + e^-z)
//
// Everything goes through e = exp(-|z|), which neither overflows nor cancels.
#pragma once

#include <cstdint>

namespace setwise {

// Weighted mean loss at z + step * direction; weights sum to one.
double mean_loss_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                       const double* weight);

// Weighted mean loss at z; writes residual[i] = weight (p - y) and curvature[i] = weight p (1 - p).
double loss_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight, double* residual,
                            double* curvature);

// Sum of log(1 + e^z) over labels.
double sum_softplus(std::int32_t n, const double* z);

}  // namespace setwise
