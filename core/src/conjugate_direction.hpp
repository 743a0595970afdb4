// The direction of one Newton iteration without an L1 part: conjugate gradients on
//
//     (H + l2 I) d = -(gradient + l2 w),     H = sum_i curvature_i x_i x_i'
//
// over all features and the intercept (which has no l2), preconditioned by the diagonal. Products read the features by
// rows and then by columns, so both are gathers. Single precision beside an exact gradient, as in newton_direction.hpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "local_model.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/penalty.hpp"

namespace setwise {

template <class Values>
class ConjugateDirection {
  public:
    ConjugateDirection(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : X_(features.columns), rows_(features.rows), options_(options), penalty_(options.strength, options.l1_ratio) {}

    // Fills step (a feature each, zero on entry) and returns the intercept's. Stops when no coordinate of the residual
    // exceeds `target`.
    double solve(const LocalModel& model, double target, double* step, const std::atomic<bool>& stop) {
        const std::int32_t d = X_.n_cols;
        prepare(model);
        double intercept_step = 0.0;
        double slope = precondition();
        move_ = rescaled_;
        for (int round = 0; round < options_.max_sweeps && largest_residual() > target && slope > 0.0 && !stop;
             ++round) {
            multiply();
            double bend = 0.0;
            for (std::int32_t j = 0; j <= d; ++j) bend += static_cast<double>(move_[j]) * product_[j];
            if (bend <= 0.0) break;  // flat to single precision: no curvature left to follow
            const double length = slope / bend;
            for (std::int32_t j = 0; j < d; ++j) step[j] += length * move_[j];
            intercept_step += length * move_[d];
            const float shrink = static_cast<float>(length);
            for (std::int32_t j = 0; j <= d; ++j) residual_[j] -= shrink * product_[j];
            const double next = precondition();
            const float mix = static_cast<float>(next / slope);
            for (std::int32_t j = 0; j <= d; ++j) move_[j] = rescaled_[j] + mix * move_[j];
            slope = next;
        }
        return intercept_step;
    }

  private:
    // The last place of each vector over features is the intercept's.
    void prepare(const LocalModel& model) {
        const std::int32_t d = X_.n_cols;
        const float l2 = static_cast<float>(penalty_.l2);
        curvature_.resize(X_.n_rows);
        float total = 0.0f;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) {
            curvature_[i] = static_cast<float>(model.curvature[i]);
            total += curvature_[i];
        }
        diagonal_.resize(d + 1);
        residual_.resize(d + 1);
        for (std::int32_t j = 0; j < d; ++j) {
            diagonal_[j] = column_square_dot(X_, j, curvature_.data()) + l2;
            residual_[j] = static_cast<float>(-(model.gradient[j] + penalty_.l2 * model.weights[j]));
        }
        diagonal_[d] = total;
        residual_[d] = static_cast<float>(-model.intercept_gradient);
        product_.resize(d + 1);
        rescaled_.resize(d + 1);
        pull_.resize(X_.n_rows);
    }

    // rescaled = residual / diagonal; returns their inner product.
    double precondition() {
        double inner = 0.0;
        for (std::size_t j = 0; j < residual_.size(); ++j) {
            rescaled_[j] = diagonal_[j] > 0.0f ? residual_[j] / diagonal_[j] : 0.0f;
            inner += static_cast<double>(residual_[j]) * rescaled_[j];
        }
        return inner;
    }

    double largest_residual() const {
        float largest = 0.0f;
        for (const float r : residual_) largest = std::max(largest, std::abs(r));
        return largest;
    }

    void multiply() {
        const std::int32_t d = X_.n_cols;
        const float l2 = static_cast<float>(penalty_.l2);
        float total = 0.0f;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) {
            pull_[i] = curvature_[i] * (column_dot(rows_, i, move_.data()) + move_[d]);
            total += pull_[i];
        }
        for (std::int32_t j = 0; j < d; ++j) product_[j] = column_dot(X_, j, pull_.data()) + l2 * move_[j];
        product_[d] = total;
    }

    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    const SolverOptions& options_;
    const ElasticNet penalty_;

    std::vector<float> curvature_, pull_;                                 // a document each
    std::vector<float> diagonal_, residual_, rescaled_, move_, product_;  // a feature each, and the intercept
};

}  // namespace setwise
