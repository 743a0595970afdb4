// The direction of one proximal Newton iteration: coordinate descent on
//
//     minimise over d   gradient . d + 1/2 d' H d + penalty(w + d),     H = sum_i curvature_i x_i x_i'
//
// where d moves the intercept and a working set of features, all else held.
//
// Two ways to sweep. Over the features: each coordinate reads its column, nothing is prepared. Over the Hessian: each
// coordinate is one look-up and each change one row of H, but H has to be formed first. A direction starts with the
// first way and changes to the second once it has spent what forming H costs: well-conditioned problems never form it,
// the others pay at most twice the better choice.
//
// Everything here is in single precision beside an exact gradient: the error is relative to d, which vanishes at the
// optimum, so it slows no convergence and touches no certificate.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "local_model.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/penalty.hpp"

namespace setwise {

// y += a x, for the rows of the Hessian.
void add_scaled(std::int32_t n, float a, const float* x, float* y);

template <class Values>
class NewtonDirection {
  public:
    NewtonDirection(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : X_(features.columns),
          rows_(features.rows),
          peak_(features.column_peak),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          local_(X_.n_cols, -1) {}

    // Fills step (a feature each, zero on entry) and returns the intercept's. Stops when no coordinate would change its
    // optimality by more than `target`, or after `max_sweeps`. The Hessian is formed only for as many sweeps as could
    // repay it.
    double solve(const std::vector<std::int32_t>& working_set, const LocalModel& model, double target, int max_sweeps,
                 double* step, const std::atomic<bool>& stop) {
        prepare(working_set, model);
        sweeps_left_ = max_sweeps;
        const double budget = m_ <= options_.gram_limit ? options_.gram_patience * hessian_cost() : kNoBudget;
        if (!sweep_features(target, budget, stop) && sweeps_left_ > 0) {
            form_hessian();
            sweep_hessian(target, stop);
        }
        for (std::int32_t a = 0; a < m_; ++a) step[working_set[a]] = step_[a];
        return intercept_step_;
    }

  private:
    static constexpr double kNoBudget = 1e300;

    void prepare(const std::vector<std::int32_t>& working_set, const LocalModel& model) {
        work_ = &working_set;
        model_ = &model;
        m_ = static_cast<std::int32_t>(working_set.size());
        const std::int32_t n = X_.n_rows;
        step_.assign(m_, 0.0);
        intercept_step_ = 0.0;
        curvature_.resize(n);
        double total = 0.0;
        for (std::int32_t i = 0; i < n; ++i) {
            curvature_[i] = static_cast<float>(model.curvature[i]);
            total += model.curvature[i];
        }
        total_curvature_ = total;
        diagonal_.resize(m_);
        entries_ = 0;
        for (std::int32_t a = 0; a < m_; ++a) {
            diagonal_[a] = column_square_dot(X_, working_set[a], curvature_.data());
            entries_ += X_.count(working_set[a]);
        }
    }

    // In entries read, if the working set's entries were spread evenly over the documents.
    double hessian_cost() const {
        const double a_row = static_cast<double>(entries_) / X_.n_rows;
        return 0.5 * static_cast<double>(entries_) * (a_row + 1.0) + static_cast<double>(m_) * m_;
    }

    // The new value of coordinate a, given the gradient of the quadratic there; zero change where H is flat.
    double updated(std::int32_t a, double value, double gradient) const {
        const double curvature = diagonal_[a];
        if (curvature + penalty_.l2 <= 0.0) return value;
        const std::int32_t j = (*work_)[a];
        const double reach = options_.max_move / peak_[j];
        const double best = penalty_.minimiser(value, gradient, curvature);
        const double start = model_->weights[j];
        return std::clamp(best, start - reach, start + reach);
    }

    // False when the budget ran out first.
    bool sweep_features(double target, double budget, const std::atomic<bool>& stop) {
        const std::int32_t n = X_.n_rows;
        pull_.assign(n, 0.0f);  // curvature_i * (x_i . d + d_0)
        alive_.resize(m_);
        const auto revive = [&] {
            alive_.resize(m_);
            for (std::int32_t a = 0; a < m_; ++a) alive_[a] = a;
        };
        revive();
        bool all_alive = true;
        double spent = 0.0;
        while (sweeps_left_-- > 0 && !stop) {
            double worst = move_intercept_by_features();
            std::size_t kept = 0;
            for (const std::int32_t a : alive_) {
                const std::int32_t j = (*work_)[a];
                const double value = model_->weights[j] + step_[a];
                const double gradient = model_->gradient[j] + column_dot(X_, j, pull_.data());
                const double next = updated(a, value, gradient);
                const double change = next - value;
                spent += static_cast<double>(X_.count(j));
                if (next != 0.0 || change != 0.0) alive_[kept++] = a;
                if (change == 0.0) continue;
                worst = std::max(worst, std::abs(change) * (diagonal_[a] + penalty_.l2));
                step_[a] += change;
                column_add_scaled(X_, j, static_cast<float>(change), curvature_.data(), pull_.data());
                spent += static_cast<double>(X_.count(j));
            }
            alive_.resize(kept);
            if (worst <= target) {
                if (all_alive) return true;
                revive();
                all_alive = true;
            } else {
                all_alive = false;
            }
            if (spent > budget) return false;
        }
        return true;
    }

    double move_intercept_by_features() {
        if (total_curvature_ <= 0.0) return 0.0;
        const std::int32_t n = X_.n_rows;
        double gradient = model_->intercept_gradient;
        float pulled = 0.0f;
#pragma omp simd reduction(+ : pulled)
        for (std::int32_t i = 0; i < n; ++i) pulled += pull_[i];
        gradient += pulled;
        const double change = clamp_move(intercept_step_ - gradient / total_curvature_) - intercept_step_;
        intercept_step_ += change;
        add_scaled(n, static_cast<float>(change), curvature_.data(), pull_.data());
        return std::abs(change) * total_curvature_;
    }

    double clamp_move(double move) const { return std::clamp(move, -options_.max_move, options_.max_move); }

    // Documents hold very unequal curvature: those with the least, up to `curvature_left_out` of the whole, enter the
    // diagonal alone. Their number is large (most documents are told apart easily), their share of H small.
    float least_curvature() const {
        constexpr int kBins = 256;  // by binary exponent
        double mass[kBins] = {};
        for (const float c : curvature_) mass[std::bit_cast<std::uint32_t>(c) >> 23] += c;
        double left_out = 0.0;
        int bin = 0;
        while (bin < kBins - 1 && left_out + mass[bin] <= options_.curvature_left_out * total_curvature_)
            left_out += mass[bin++];
        return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << 23);
    }

    // H over the working set and, last, the intercept. Features come most frequent first, so most of the additions fall
    // into a small corner of H that stays in cache.
    void form_hessian() {
        width_ = m_ + 1;
        hessian_.assign(static_cast<std::size_t>(width_) * width_, 0.0f);
        for (std::int32_t a = 0; a < m_; ++a) local_[(*work_)[a]] = a;
        const float least = least_curvature();
        row_index_.resize(static_cast<std::size_t>(m_) + 1);
        row_value_.resize(static_cast<std::size_t>(m_) + 1);
        for (std::int32_t i = 0; i < X_.n_rows; ++i)
            if (curvature_[i] >= least) add_document(i);
        for (std::int32_t a = 0; a < m_; ++a) {
            local_[(*work_)[a]] = -1;
            at(a, a) = diagonal_[a];
        }
        at(m_, m_) = static_cast<float>(total_curvature_);
        mirror();
    }

    float& at(std::int32_t a, std::int32_t b) { return hessian_[static_cast<std::size_t>(a) * width_ + b]; }

    void add_document(std::int32_t i) {
        std::int32_t k = 0;
        for (std::int64_t e = rows_.begin(i); e < rows_.end(i); ++e) {
            const std::int32_t a = local_[rows_.indices[e]];
            row_index_[k] = a;  // overwritten unless the feature is in the working set: a branch here would mispredict
            row_value_[k] = static_cast<float>(rows_.values[e]);
            k += a >= 0;
        }
        row_index_[k] = m_;
        row_value_[k] = 1.0f;
        const std::int32_t* index = row_index_.data();
        const float* value = row_value_.data();
        for (std::int32_t p = 0; p <= k; ++p) {
            float* __restrict row = hessian_.data() + static_cast<std::size_t>(index[p]) * width_;
            const float scaled = curvature_[i] * value[p];
            for (std::int32_t r = 0; r < p; ++r) row[index[r]] += scaled * value[r];
        }
    }

    // Copies the lower triangle to the upper, in tiles that fit the cache.
    void mirror() {
        constexpr std::int32_t kTile = 32;
        for (std::int32_t a0 = 0; a0 < width_; a0 += kTile)
            for (std::int32_t b0 = 0; b0 <= a0; b0 += kTile)
                for (std::int32_t a = a0; a < std::min(a0 + kTile, width_); ++a)
                    for (std::int32_t b = b0; b < std::min({b0 + kTile, a, width_}); ++b) at(b, a) = at(a, b);
    }

    void sweep_hessian(double target, const std::atomic<bool>& stop) {
        bent_.assign(width_, 0.0f);  // H d
        for (std::int32_t a = 0; a < m_; ++a)
            if (step_[a] != 0.0) bend(a, step_[a]);
        bend(m_, intercept_step_);
        while (sweeps_left_-- > 0 && !stop) {
            double worst = 0.0;
            if (total_curvature_ > 0.0) {
                const double gradient = model_->intercept_gradient + bent_[m_];
                const double change = clamp_move(intercept_step_ - gradient / total_curvature_) - intercept_step_;
                worst = std::abs(change) * total_curvature_;
                intercept_step_ += change;
                bend(m_, change);
            }
            for (std::int32_t a = 0; a < m_; ++a) {
                const std::int32_t j = (*work_)[a];
                const double value = model_->weights[j] + step_[a];
                const double change = updated(a, value, model_->gradient[j] + bent_[a]) - value;
                if (change == 0.0) continue;
                worst = std::max(worst, std::abs(change) * (diagonal_[a] + penalty_.l2));
                step_[a] += change;
                bend(a, change);
            }
            if (worst <= target) return;
        }
    }

    void bend(std::int32_t a, double change) {
        add_scaled(width_, static_cast<float>(change), hessian_.data() + static_cast<std::size_t>(a) * width_,
                   bent_.data());
    }

    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    const double* peak_;
    const SolverOptions& options_;
    const ElasticNet penalty_;

    const std::vector<std::int32_t>* work_ = nullptr;
    const LocalModel* model_ = nullptr;
    std::int32_t m_ = 0;
    std::int64_t entries_ = 0;
    int sweeps_left_ = 0;
    double total_curvature_ = 0.0;
    std::vector<double> step_;
    double intercept_step_ = 0.0;
    std::vector<float> curvature_, diagonal_, pull_, hessian_, bent_, row_value_;
    std::vector<std::int32_t> alive_, local_, row_index_;
    std::int32_t width_ = 0;
};

}  // namespace setwise
