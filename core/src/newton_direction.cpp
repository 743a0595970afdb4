#include "newton_direction.hpp"

namespace setwise {
namespace {

SETWISE_INLINE void add_scaled_body(std::int32_t n, float a, const float* x, float* y) {
#pragma omp simd
    for (std::int32_t k = 0; k < n; ++k) y[k] += a * x[k];
}

SETWISE_TARGET_AVX2 void add_scaled_avx2(std::int32_t n, float a, const float* x, float* y) {
    add_scaled_body(n, a, x, y);
}

}  // namespace

void add_scaled(std::int32_t n, float a, const float* x, float* y) {
    if (machine_has_avx2()) return add_scaled_avx2(n, a, x, y);
    add_scaled_body(n, a, x, y);
}

}  // namespace setwise
