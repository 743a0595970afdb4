#include "setwise/logistic.hpp"

#include <cmath>

#include "setwise/dispatch.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

SETWISE_INLINE double loss_from(double z, double e, double y) {
    return log1p_of_unit(e) + (z > 0.0 ? z : 0.0) - y * z;
}

SETWISE_INLINE double mean_loss_kernel(std::int32_t n, const double* z, const double* direction, double step,
                                       const double* y, const double* weight) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t i = 0; i < n; ++i) {
        const double score = z[i] + step * direction[i];
        total += weight[i] * loss_from(score, exp_of_negative(-std::abs(score)), y[i]);
    }
    return total;
}

SETWISE_INLINE double derivatives_kernel(std::int32_t n, const double* z, const double* y, const double* weight,
                                         double* residual, double* curvature) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t i = 0; i < n; ++i) {
        const double e = exp_of_negative(-std::abs(z[i]));
        const double large = 1.0 / (1.0 + e);  // the probability on the side of z
        const double small = e * large;
        total += weight[i] * loss_from(z[i], e, y[i]);
        residual[i] = weight[i] * ((z[i] > 0.0 ? large : small) - y[i]);
        curvature[i] = weight[i] * (large * small);
    }
    return total;
}

SETWISE_INLINE double sum_softplus_kernel(std::int32_t n, const double* z) {
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (std::int32_t j = 0; j < n; ++j) total += softplus(z[j]);
    return total;
}

}  // namespace

double mean_loss_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                       const double* weight) {
    return dispatch<mean_loss_kernel>(n, z, direction, step, y, weight);
}

double loss_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight, double* residual,
                            double* curvature) {
    return dispatch<derivatives_kernel>(n, z, y, weight, residual, curvature);
}

double sum_softplus(std::int32_t n, const double* z) {
    return dispatch<sum_softplus_kernel>(n, z);
}

}  // namespace setwise
