// The squared hinge over documents: values, residuals and curvatures, vectorised.
//
//     loss(z; y) = max(0, 1 - t z)^2      t = 2 y - 1 in {-1, +1}
//
// Its derivative is continuous, its curvature is not: 2 inside the margin (1 - t z > 0), and 0 from the margin on.
#pragma once

#include <cstdint>

namespace setwise {

// Weighted mean loss at z + step * direction; weights sum to one.
double mean_squared_hinge_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                                const double* weight);

// Weighted mean loss at z; writes residual[i] = -2 weight t max(0, 1 - t z), and curvature[i] = 2 weight inside the
// margin.
double squared_hinge_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight,
                                     double* residual, double* curvature);

}  // namespace setwise
