#include "class_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "setwise/vector_math.hpp"

namespace setwise {
namespace {

SETWISE_INLINE double softmax_loss_kernel(std::int32_t n, std::int32_t n_classes, std::int32_t stride,
                                          const double* scores, const double* direction, double step, const double* y,
                                          const double* weight, double* probability, double* residual) {
    double total = 0.0;
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) * stride;
        double largest = scores[at] + step * direction[at];
        for (std::int32_t k = 1; k < n_classes; ++k)
            largest = std::max(largest, scores[at + k] + step * direction[at + k]);
        double sum = 0.0, explained = 0.0;
#pragma omp simd reduction(+ : sum, explained)
        for (std::int32_t k = 0; k < n_classes; ++k) {
            const double below = scores[at + k] + step * direction[at + k] - largest;
            sum += exp_of_negative(below);
            explained += y[at + k] * below;
        }
        total += weight[i] * (std::log(sum) - explained);
        if (probability == nullptr) continue;
        const double scale = 1.0 / sum;
#pragma omp simd
        for (std::int32_t k = 0; k < n_classes; ++k) {
            const double p = scale * exp_of_negative(scores[at + k] + step * direction[at + k] - largest);
            probability[at + k] = p;
            residual[at + k] = weight[i] * (p - y[at + k]);
        }
    }
    return total;
}

}  // namespace

double softmax_loss(std::int32_t n, std::int32_t n_classes, std::int32_t stride, const double* scores,
                    const double* direction, double step, const double* y, const double* weight, double* probability,
                    double* residual) {
    return dispatch<softmax_loss_kernel>(n, n_classes, stride, scores, direction, step, y, weight, probability,
                                         residual);
}

}  // namespace setwise
