// The direction of one Newton iteration without an L1 part: conjugate gradients over all features that may be used.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "binary_system.hpp"
#include "local_model.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"

namespace setwise {

template <class Values>
class ConjugateDirection {
  public:
    ConjugateDirection(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : X_(features.columns), options_(options), system_(features) {}

    // Fills step (one per feature, those of `which` alone) and returns the intercept's. Stops when no coordinate of the
    // residual exceeds `target`. `is_scaled`: the diagonal of the last call, which had the same features and which only
    // speeds the rounds up, will do.
    double solve(const std::vector<std::int32_t>& which, const LocalModel& model, double* step,
                 const std::atomic<bool>& stop, double target, bool is_scaled) {
        const auto d = static_cast<std::int32_t>(which.size());
        const double l2 = model.penalty.l2;
        const double scale = std::max(1.0, l2);  // a penalty beyond the range of single precision is still a penalty
        curvature_.resize(X_.n_rows);
        for (std::int32_t i = 0; i < X_.n_rows; ++i) curvature_[i] = static_cast<float>(model.curvature[i] / scale);
        diagonal_.resize(d + 1);
        residual_.resize(d + 1);
        for (std::int32_t a = 0; a < d; ++a)
            residual_[a] = static_cast<float>(-(model.gradient[which[a]] + l2 * model.weights[which[a]]));
        if (!is_scaled) {
            for (std::int32_t a = 0; a < d; ++a) diagonal_[a] = column_square_dot(X_, which[a], curvature_.data());
            diagonal_[d] = std::accumulate(curvature_.begin(), curvature_.end(), 0.0f);
        }
        residual_[d] = static_cast<float>(-model.intercept_gradient);
        system_.solve(which, curvature_, diagonal_, static_cast<float>(l2 / scale), target, options_.max_sweeps,
                      residual_, moves_, stop);
        for (std::int32_t a = 0; a < d; ++a) step[which[a]] = moves_[a] / scale;
        return moves_[d] / scale;
    }

  private:
    const Columns<Values>& X_;
    const SolverOptions& options_;
    BinarySystem<Values> system_;
    std::vector<float> curvature_;                    // one per document
    std::vector<float> diagonal_, residual_, moves_;  // one per feature, and the intercept
};

}  // namespace setwise
