// The system of a Newton direction of one label, solved by conjugate gradients: (H + l2 I) x = b over some features and
// the intercept, with
//
//     H = sum_i curvature_i x_i x_i'
//
// Products with H read the features by rows and then by columns, so both are gathers.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "conjugate_gradients.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"

namespace setwise {

template <class Values>
class BinarySystem {
  public:
    explicit BinarySystem(const FeatureMatrix<Values>& features)
        : X_(features.columns), rows_(features.rows), spread_(features.columns.n_cols, 0.0f) {}

    // `residual` has b (one value per feature of `which`, then the intercept's) and is left with what remains of it.
    // `diagonal` is that of H, the intercept last. Returns whether nothing that remains exceeds `target`.
    bool solve(const std::vector<std::int32_t>& which, const std::vector<float>& curvature,
               const std::vector<float>& diagonal, float l2, double target, int max_rounds,
               std::vector<float>& residual, std::vector<float>& x, const std::atomic<bool>& stop) {
        x.assign(which.size() + 1, 0.0f);
        const auto times = [&](const std::vector<float>& move, std::vector<float>& product) {
            multiply(which, curvature, l2, move, product);
        };
        const auto take = [&](double length, const std::vector<float>& move) {
            for (std::size_t a = 0; a < x.size(); ++a) x[a] += static_cast<float>(length) * move[a];
        };
        return conjugate_.solve({diagonal, l2, which.size()}, target, max_rounds, residual, times, take, stop);
    }

  private:
    // Sets: pull_, product; spread_ is zero again afterwards.
    void multiply(const std::vector<std::int32_t>& which, const std::vector<float>& curvature, float l2,
                  const std::vector<float>& move, std::vector<float>& product) {
        const std::size_t m = which.size();
        for (std::size_t a = 0; a < m; ++a) spread_[which[a]] = move[a];
        pull_.resize(curvature.size());
        float total = 0.0f;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) {
            pull_[i] = curvature[i] * (column_dot(rows_, i, spread_.data()) + move[m]);
            total += pull_[i];
        }
        for (std::size_t a = 0; a < m; ++a) {
            product[a] = column_dot(X_, which[a], pull_.data()) + l2 * move[a];
            spread_[which[a]] = 0.0f;
        }
        product[m] = total;
    }

    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    ConjugateGradients conjugate_;
    std::vector<float> spread_;  // one per feature; zero between products
    std::vector<float> pull_;    // one per document
};

}  // namespace setwise
