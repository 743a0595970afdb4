// Conjugate gradients on (H + l2 I) x = b over some features and the intercept (which has no l2), with
//
//     H = sum_i curvature_i x_i x_i'
//
// preconditioned by the diagonal. Products read the features by rows and then by columns, so both are gathers. Single
// precision: the right-hand side is the exact part of a Newton direction, and vanishes at the optimum.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"

namespace setwise {

template <class Values>
class ConjugateGradients {
  public:
    explicit ConjugateGradients(const FeatureMatrix<Values>& features)
        : X_(features.columns), rows_(features.rows), spread_(features.columns.n_cols, 0.0f) {}

    // Starts from x = 0 with b in `residual` (a value a feature of `which`, then the intercept's) and leaves there what
    // is left of b. `diagonal` is that of H, the intercept last. True once nothing left exceeds `target`.
    bool solve(const std::vector<std::int32_t>& which, const std::vector<float>& curvature,
               const std::vector<float>& diagonal, float l2, double target, int max_rounds,
               std::vector<float>& residual, std::vector<float>& x, const std::atomic<bool>& stop) {
        const std::size_t m = which.size();
        x.assign(m + 1, 0.0f);
        product_.resize(m + 1);
        rescaled_.resize(m + 1);
        double slope = precondition(diagonal, l2, residual);
        move_ = rescaled_;
        for (int round = 0; round < max_rounds && largest(residual) > target && slope > 0.0 && !stop; ++round) {
            multiply(which, curvature, l2);
            double bend = 0.0;
            for (std::size_t a = 0; a <= m; ++a) bend += static_cast<double>(move_[a]) * product_[a];
            if (bend <= 0.0) break;  // flat to single precision: no curvature left to follow
            const float length = static_cast<float>(slope / bend);
            for (std::size_t a = 0; a <= m; ++a) x[a] += length * move_[a];
            for (std::size_t a = 0; a <= m; ++a) residual[a] -= length * product_[a];
            const double next = precondition(diagonal, l2, residual);
            const float mix = static_cast<float>(next / slope);
            for (std::size_t a = 0; a <= m; ++a) move_[a] = rescaled_[a] + mix * move_[a];
            slope = next;
        }
        return largest(residual) <= target;
    }

  private:
    // rescaled = residual / (diagonal + l2); returns the inner product of both.
    double precondition(const std::vector<float>& diagonal, float l2, const std::vector<float>& residual) {
        double inner = 0.0;
        for (std::size_t a = 0; a < residual.size(); ++a) {
            const float scale = diagonal[a] + (a + 1 < residual.size() ? l2 : 0.0f);
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

    void multiply(const std::vector<std::int32_t>& which, const std::vector<float>& curvature, float l2) {
        const std::size_t m = which.size();
        for (std::size_t a = 0; a < m; ++a) spread_[which[a]] = move_[a];
        pull_.resize(curvature.size());
        float total = 0.0f;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) {
            pull_[i] = curvature[i] * (column_dot(rows_, i, spread_.data()) + move_[m]);
            total += pull_[i];
        }
        for (std::size_t a = 0; a < m; ++a) {
            product_[a] = column_dot(X_, which[a], pull_.data()) + l2 * move_[a];
            spread_[which[a]] = 0.0f;
        }
        product_[m] = total;
    }

    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    std::vector<float> spread_;                     // a feature each; zero between products
    std::vector<float> pull_;                       // a document each
    std::vector<float> rescaled_, move_, product_;  // as the residual
};

}  // namespace setwise
