#include "setwise/squared_hinge.hpp"

#include "setwise/dispatch.hpp"

namespace setwise {
namespace {

SETWISE_INLINE double gap_of(double z, double sign) {
    const double gap = 1.0 - sign * z;
    return gap > 0.0 ? gap : 0.0;
}

SETWISE_INLINE double mean_hinge_kernel(std::int32_t n, const double* z, const double* direction, double step,
                                        const double* y, const double* weight) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t i = 0; i < n; ++i) {
        const double gap = gap_of(z[i] + step * direction[i], 2.0 * y[i] - 1.0);
        total += weight[i] * gap * gap;
    }
    return total;
}

SETWISE_INLINE double hinge_derivatives_kernel(std::int32_t n, const double* z, const double* y, const double* weight,
                                               double* residual, double* curvature) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t i = 0; i < n; ++i) {
        const double sign = 2.0 * y[i] - 1.0;
        const double gap = gap_of(z[i], sign);
        total += weight[i] * gap * gap;
        residual[i] = -2.0 * weight[i] * sign * gap;
        curvature[i] = gap > 0.0 ? 2.0 * weight[i] : 0.0;
    }
    return total;
}

}  // namespace

double mean_squared_hinge_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                                const double* weight) {
    return dispatch<mean_hinge_kernel>(n, z, direction, step, y, weight);
}

double squared_hinge_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight,
                                     double* residual, double* curvature) {
    return dispatch<hinge_derivatives_kernel>(n, z, y, weight, residual, curvature);
}

}  // namespace setwise
