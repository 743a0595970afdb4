// Conjugate gradients for several labels at once: each lane solves a system of its own,
//
//     (H + l2 I) x = b,   H = sum_i curvature_i x_i x_i'
//
// over all features and the intercept, which has no l2, preconditioned by the diagonal. Lanes begin and end when they
// like; those that are over take part in the passes without effect. Single precision: the right-hand side is the exact
// part of a Newton direction, and vanishes at the optimum.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lane_passes.hpp"
#include "lane_table.hpp"
#include "local_model.hpp"
#include "setwise/binary.hpp"
#include "setwise/dispatch.hpp"

namespace setwise {

// A system to start in a lane.
struct LaneSystem {
    int lane;
    LocalModel model;
    double target;  // rounds end once nothing that remains of b exceeds it
};

// What a round changes, features x lanes.
template <int kWidth>
struct LaneVectors {
    std::int32_t n_features;
    float* move;
    const float* product;  // of H with the move
    float* x;              // the solution so far
    float* residual;       // what remains of b
    const float* inverse;  // of the preconditioner; 0 where the feature does not take part
};

// x += length * move and residual -= length * (H + l2 I) move. A length of 0 changes nothing.
template <int kWidth>
SETWISE_INLINE void take_kernel(const LaneVectors<kWidth>& vectors, const float* length, const float* l2, double* slope,
                                float* largest) {
    float by[kWidth], damping[kWidth], most[kWidth] = {};
    double inner[kWidth] = {};
    for (int l = 0; l < kWidth; ++l) {
        by[l] = length[l];
        damping[l] = l2[l];
    }
    for (std::int32_t j = 0; j < vectors.n_features; ++j) {
        const std::int64_t at = static_cast<std::int64_t>(kWidth) * j;
        const float* move = vectors.move + at;
        const float* product = vectors.product + at;
        float* x = vectors.x + at;
        float* residual = vectors.residual + at;
        const float* inverse = vectors.inverse + at;
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) {
            const float gain = by[l] * move[l];
            const float loss = by[l] * (product[l] + damping[l] * move[l]);
            const bool takes_part = by[l] != 0.0f && inverse[l] > 0.0f;
            x[l] += takes_part ? gain : 0.0f;
            residual[l] -= takes_part ? loss : 0.0f;
            const float rescaled = residual[l] * inverse[l];
            inner[l] += static_cast<double>(residual[l]) * rescaled;
            const float size = residual[l] < 0.0f ? -residual[l] : residual[l];
            most[l] = size > most[l] ? size : most[l];
        }
    }
    for (int l = 0; l < kWidth; ++l) {
        slope[l] = inner[l];
        largest[l] = most[l];
    }
}

// move = rescaled residual + mix * move, and squares = |move|^2.
template <int kWidth>
SETWISE_INLINE void turn_kernel(const LaneVectors<kWidth>& vectors, const float* mix, double* squares) {
    float by[kWidth];
    double sum[kWidth] = {};
    for (int l = 0; l < kWidth; ++l) by[l] = mix[l];
    for (std::int32_t j = 0; j < vectors.n_features; ++j) {
        const std::int64_t at = static_cast<std::int64_t>(kWidth) * j;
        float* move = vectors.move + at;
        const float* residual = vectors.residual + at;
        const float* inverse = vectors.inverse + at;
#pragma omp simd
        for (int l = 0; l < kWidth; ++l) {
            const float next = residual[l] * inverse[l] + by[l] * move[l];
            move[l] = next;
            sum[l] += static_cast<double>(next) * next;
        }
    }
    for (int l = 0; l < kWidth; ++l) squares[l] = sum[l];
}

template <class Values, int kWidth>
class LaneGradients {
  public:
    LaneGradients(const FeatureMatrix<Values>& features, int max_rounds)
        : columns_(features.columns),
          rows_(features.rows),
          max_rounds_(max_rounds),
          curvature_(static_cast<std::size_t>(kWidth) * columns_.n_rows),
          pull_(curvature_.size()),
          move_(static_cast<std::size_t>(kWidth) * columns_.n_cols),
          product_(move_.size()),
          x_(move_.size()),
          residual_(move_.size()),
          inverse_(move_.size()) {
        for (auto* table : {&curvature_, &pull_, &move_, &product_, &x_, &residual_, &inverse_}) table->fill(0.0f);
    }

    bool is_running(int lane) const { return is_running_[lane]; }
    int n_running() const { return static_cast<int>(std::count(is_running_.begin(), is_running_.end(), true)); }

    // Starts systems from x = 0. `diagonal` is that of each H, features x lanes.
    void start(const std::vector<LaneSystem>& systems, const LaneTable<float>& diagonal) {
        for (const LaneSystem& system : systems) start_intercept(system);
        const std::int32_t n_features = rows_.n_rows;
        std::array<double, kWidth> slope{}, squares{};
        std::array<float, kWidth> largest{};
        for (std::int32_t j = 0; j < n_features; ++j)
            for (const LaneSystem& system : systems) {
                const int l = system.lane;
                const std::size_t at = static_cast<std::size_t>(kWidth) * j + l;
                const LocalModel& model = system.model;
                const float own = diagonal[at] / static_cast<float>(scale_[l]);
                // A feature that no curved document has is on its own: finish() knows its step.
                const float inverse = own > 0.0f ? 1.0f / (own + l2_[l]) : 0.0f;
                const float b =
                    own > 0.0f ? static_cast<float>(-(model.gradient[j] + model.penalty.l2 * model.weights[j])) : 0.0f;
                const float move = b * inverse;
                move_[at] = move;
                x_[at] = 0.0f;
                residual_[at] = b;
                inverse_[at] = inverse;
                slope[l] += static_cast<double>(b) * move;
                squares[l] += static_cast<double>(move) * move;
                largest[l] = std::max(largest[l], std::abs(b));
            }
        for (const LaneSystem& system : systems) {
            const int l = system.lane;
            slope_[l] = slope[l] + static_cast<double>(residual_b_[l]) * move_b_[l];
            squares_[l] = squares[l];
            largest_[l] = std::max(largest[l], std::abs(residual_b_[l]));
            n_rounds_[l] = 0;
            is_running_[l] = goes_on(l);
        }
        choose_documents();
    }

    // One round of every lane that is running.
    void run_round() {
        multiply();
        std::array<float, kWidth> length{}, mix{};
        std::array<bool, kWidth> before = is_running_;
        for (int l = 0; l < kWidth; ++l) {
            if (!is_running_[l]) continue;
            const double bend = bend_[l] + l2_[l] * squares_[l];
            if (bend > 0.0)
                length[l] = static_cast<float>(slope_[l] / bend);
            else
                is_running_[l] = false;  // flat to single precision: no curvature left to follow
        }
        const LaneVectors<kWidth> vectors{rows_.n_rows, move_.data(),     product_.data(),
                                          x_.data(),    residual_.data(), inverse_.data()};
        std::array<double, kWidth> slope;
        std::array<float, kWidth> largest;
        dispatch<take_kernel<kWidth>>(vectors, length.data(), l2_.data(), slope.data(), largest.data());
        for (int l = 0; l < kWidth; ++l) {
            if (!is_running_[l]) continue;
            x_b_[l] += length[l] * move_b_[l];
            residual_b_[l] -= length[l] * product_b_[l];
            const float rescaled = residual_b_[l] * inverse_b_[l];
            const double next = slope[l] + static_cast<double>(residual_b_[l]) * rescaled;
            mix[l] = static_cast<float>(next / slope_[l]);
            move_b_[l] = rescaled + mix[l] * move_b_[l];
            slope_[l] = next;
            largest_[l] = std::max(largest[l], std::abs(residual_b_[l]));
            ++n_rounds_[l];
            is_running_[l] = goes_on(l);
        }
        if (n_running() > 0) dispatch<turn_kernel<kWidth>>(vectors, mix.data(), squares_.data());
        if (is_running_ != before) choose_documents();
    }

    // Writes the solutions of systems that are over: steps[k] has one value per feature for systems[k]. Those of the
    // intercepts are intercept_step().
    void finish(const std::vector<LaneSystem>& systems, const std::vector<double*>& steps) const {
        for (std::int32_t j = 0; j < rows_.n_rows; ++j)
            for (std::size_t k = 0; k < systems.size(); ++k) {
                const LocalModel& model = systems[k].model;
                const std::size_t at = static_cast<std::size_t>(kWidth) * j + systems[k].lane;
                const double l2 = model.penalty.l2;
                // Without curvature a weight feels the slope and the penalty alone.
                const double alone = l2 > 0.0 ? -(model.weights[j] + model.gradient[j] / l2) : 0.0;
                steps[k][j] = inverse_[at] > 0.0f ? x_[at] / scale_[systems[k].lane] : alone;
            }
    }

    double intercept_step(int lane) const { return x_b_[lane] / scale_[lane]; }

  private:
    bool goes_on(int l) const { return n_rounds_[l] < max_rounds_ && largest_[l] > target_[l] && slope_[l] > 0.0; }

    // Sets all that a lane has but its features.
    void start_intercept(const LaneSystem& system) {
        const int l = system.lane;
        const LocalModel& model = system.model;
        target_[l] = system.target;
        scale_[l] = std::max(1.0, model.penalty.l2);  // a penalty beyond the range of single precision is still one
        l2_[l] = static_cast<float>(model.penalty.l2 / scale_[l]);
        float total = 0.0f;
        for (std::int32_t i = 0; i < rows_.n_cols; ++i) {
            const auto curvature = static_cast<float>(model.curvature[i] / scale_[l]);
            curvature_[static_cast<std::size_t>(kWidth) * i + l] = curvature;
            total += curvature;
        }
        inverse_b_[l] = total > 0.0f ? 1.0f / total : 0.0f;
        residual_b_[l] = static_cast<float>(-model.intercept_gradient);
        move_b_[l] = residual_b_[l] * inverse_b_[l];
        x_b_[l] = 0.0f;
    }

    // Products of every H with its move. Sets: pull_, product_, product_b_, bend_.
    void multiply() {
        const auto n_documents = static_cast<std::int32_t>(documents_.size());
        dispatch<pull_kernel<kWidth, Values>>(
            rows_, PullPass<kWidth>{documents_.data(), n_documents, curvature_.data(), move_.data(), move_b_.data(),
                                    pull_.data(), product_b_.data(), bend_.data()});
        if (n_entries_ >= kFew * static_cast<double>(rows_.n_entries())) {
            dispatch<product_by_columns_kernel<kWidth, Values>>(columns_, pull_.data(), product_.data());
        } else {
            product_.fill(0.0f);
            dispatch<product_by_rows_kernel<kWidth, Values>>(rows_, documents_.data(), n_documents, pull_.data(),
                                                             product_.data());
        }
    }

    // Sets: documents_, n_entries_; clears pull_.
    void choose_documents() {
        pull_.fill(0.0f);
        documents_.clear();
        n_entries_ = 0;
        for (std::int32_t i = 0; i < rows_.n_cols; ++i) {
            bool is_curved = false;
            for (int l = 0; l < kWidth; ++l)
                is_curved |= is_running_[l] && curvature_[static_cast<std::size_t>(kWidth) * i + l] > 0.0f;
            if (!is_curved) continue;
            documents_.push_back(i);
            n_entries_ += static_cast<double>(rows_.count(i));
        }
    }

    template <class T>
    using Lanes = std::array<T, kWidth>;

    static constexpr double kFew = 0.5;  // share of the entries below which their documents are read, not the columns

    const Columns<Values>& columns_;
    const Columns<Values>& rows_;
    const int max_rounds_;
    LaneTable<float> curvature_, pull_;                         // documents x lanes
    LaneTable<float> move_, product_, x_, residual_, inverse_;  // features x lanes
    double n_entries_ = 0.0;                                    // of documents_
    std::vector<std::int32_t> documents_;                       // those with curvature in a running lane
    Lanes<bool> is_running_{};
    Lanes<int> n_rounds_{};
    Lanes<double> target_{}, scale_{}, slope_{}, squares_{}, bend_{};
    Lanes<float> l2_{}, largest_{};
    Lanes<float> x_b_{}, residual_b_{}, inverse_b_{}, move_b_{}, product_b_{};  // of the intercepts
};

}  // namespace setwise
