#include "setwise/adam.hpp"

#include <cmath>

#include "setwise/dispatch.hpp"

namespace setwise {
namespace {

template <class Real>
SETWISE_INLINE void step(std::int64_t n, const AdamRule& rule, const Real* gradient, Real* parameter, Real* mean,
                         Real* square) {
    const auto keep_mean = static_cast<Real>(rule.decay_of_mean);
    const auto keep_square = static_cast<Real>(rule.decay_of_square);
    const auto take_mean = static_cast<Real>(1.0 - rule.decay_of_mean);
    const auto take_square = static_cast<Real>(1.0 - rule.decay_of_square);
    const auto rate = static_cast<Real>(rule.rate);
    const auto least_root = static_cast<Real>(rule.least_root);
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        const Real slope = gradient[i];
        mean[i] = mean[i] * keep_mean + slope * take_mean;
        square[i] = square[i] * keep_square + slope * slope * take_square;
        const Real root = static_cast<Real>(static_cast<double>(std::sqrt(square[i])) * rule.root) + least_root;
        parameter[i] -= mean[i] / root * rate;
    }
}

}  // namespace

template <class Real>
void adam_step(std::int64_t n, const AdamRule& rule, const Real* gradient, Real* parameter, Real* mean, Real* square) {
    dispatch<step<Real>>(n, rule, gradient, parameter, mean, square);
}

template void adam_step(std::int64_t, const AdamRule&, const float*, float*, float*, float*);
template void adam_step(std::int64_t, const AdamRule&, const double*, double*, double*, double*);

}  // namespace setwise
