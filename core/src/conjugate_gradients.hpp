// Conjugate gradients on (H + l2 I) x = b, preconditioned by the diagonal. The last coordinates are intercepts, which
// have no l2. Single precision: the right-hand side is the exact part of a Newton direction, and vanishes at the
// optimum.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

namespace setwise {

// The system but for H itself, of which only products are needed.
struct DampedSystem {
    const std::vector<float>& diagonal;  // of H
    float l2;
    std::size_t n_damped;  // the coordinates before the intercepts
};

class ConjugateGradients {
  public:
    // Starts from x = 0 with b in `residual`, and leaves there what remains of b. `multiply(move, product)` computes
    // (H + l2 I) move; `take(length, move)` adds length * move to x, in whatever precision the caller keeps it. Returns
    // whether nothing that remains exceeds `target`.
    template <class Multiply, class Take>
    bool solve(const DampedSystem& system, double target, int max_rounds, std::vector<float>& residual,
               Multiply&& multiply, Take&& take, const std::atomic<bool>& stop) {
        const std::size_t size = residual.size();
        product_.resize(size);
        rescaled_.resize(size);
        double slope = precondition(system, residual);
        move_ = rescaled_;
        for (int round = 0; round < max_rounds && largest(residual) > target && slope > 0.0 && !stop; ++round) {
            multiply(move_, product_);
            double bend = 0.0;
            for (std::size_t a = 0; a < size; ++a) bend += static_cast<double>(move_[a]) * product_[a];
            if (bend <= 0.0) break;  // flat to single precision: no curvature left to follow
            const double length = slope / bend;
            take(length, move_);
            for (std::size_t a = 0; a < size; ++a) residual[a] -= static_cast<float>(length) * product_[a];
            const double next = precondition(system, residual);
            const float mix = static_cast<float>(next / slope);
            for (std::size_t a = 0; a < size; ++a) move_[a] = rescaled_[a] + mix * move_[a];
            slope = next;
        }
        return largest(residual) <= target;
    }

  private:
    // rescaled = residual / (diagonal + l2); returns the inner product of both. Sets: rescaled_.
    double precondition(const DampedSystem& system, const std::vector<float>& residual) {
        double inner = 0.0;
        for (std::size_t a = 0; a < residual.size(); ++a) {
            const float scale = system.diagonal[a] + (a < system.n_damped ? system.l2 : 0.0f);
            rescaled_[a] = scale > 0.0f ? residual[a] / scale : 0.0f;
            inner += static_cast<double>(residual[a]) * rescaled_[a];
        }
        return inner;
    }

    static double largest(const std::vector<float>& residual) {
        float most = 0.0f;
        for (const float r : residual) most = std::max(most, std::abs(r));
        return most;
    }

    std::vector<float> rescaled_, move_, product_;
};

}  // namespace setwise
