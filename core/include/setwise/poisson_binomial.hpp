// The number of independent labels that are on, which has a Poisson-binomial distribution:
//
//     f[s] = p(s labels are on)          a label joins:   f'[s] = q f[s] + p f[s - 1]
//
// with p the label's probability and q = 1 - p.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "setwise/dispatch.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {

// p = sigmoid(z) and q = sigmoid(-z), neither as one minus the other.
SETWISE_INLINE void label_probabilities(std::int32_t n, const double* z, double* p, double* q) {
#pragma omp simd
    for (std::int32_t l = 0; l < n; ++l) {
        const double e = exp_of_negative(-std::abs(z[l]));
        const double large = 1.0 / (1.0 + e), small = e * large;
        p[l] = z[l] > 0.0 ? large : small;
        q[l] = z[l] > 0.0 ? small : large;
    }
}

SETWISE_INLINE void add_label(std::int32_t first, std::int32_t last, double p, double q, const double* f,
                              double* joined) {
#pragma omp simd
    for (std::int32_t s = first; s <= last; ++s) joined[s] = q * f[s] + p * f[s - 1];
}

class PoissonBinomial {
  public:
    // The smallest and largest sizes are dropped while they are less probable than this: far below any rounding, and
    // far above where arithmetic becomes slow.
    static constexpr double kVanished = 1e-40;

    explicit PoissonBinomial(std::int32_t n_labels) : f_(n_labels + 3), joined_(n_labels + 3) { clear(); }

    // Takes out all labels.
    void clear() {
        std::fill(f_.begin(), f_.end(), 0.0);
        std::fill(joined_.begin(), joined_.end(), 0.0);
        f_[1] = 1.0;
        low_ = high_ = 0;
    }

    void add(double p, double q) {
        dispatch<add_label>(low_, high_ + 1, p, q, f_.data() + 1, joined_.data() + 1);
        std::swap(f_, joined_);
        ++high_;
        // What the two buffers hold outside the range must be zero: the next step reads one size beyond it.
        while (f_[1 + high_] < kVanished) drop(high_--);
        while (f_[1 + low_] < kVanished) drop(low_++);
    }

    // The sizes that are left.
    std::int32_t low() const { return low_; }
    std::int32_t high() const { return high_; }

    // f[s] is at [s], from -1 to high() + 1: zero outside low() to high().
    const double* sizes() const { return f_.data() + 1; }

  private:
    void drop(std::int32_t size) { f_[1 + size] = joined_[1 + size] = 0.0; }

    std::vector<double> f_, joined_;  // f_[1 + s] is f[s], so that f[-1] is there
    std::int32_t low_ = 0, high_ = 0;
};

}  // namespace setwise
