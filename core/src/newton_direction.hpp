// The direction of one proximal Newton iteration: coordinate descent on
//
//     minimise over d   gradient . d + 1/2 d' H d + penalty(w + d),     H = sum_i curvature_i x_i x_i'
//
// where d moves the intercept and a working set of features, all else held.
//
// A direction starts with sweeps over the features: each coordinate reads its column, nothing is prepared, and a
// well-conditioned problem ends there. The others turn to what is cheaper for them. Few features: H is formed, after
// which a coordinate is one look-up and a change one row of H. Many: conjugate gradients on the coordinates that are
// not zero, their signs held, take the place of most sweeps; the sweeps between them settle who is zero.
//
// Everything here is in single precision beside an exact gradient: the error is relative to d, which vanishes at the
// optimum, so it slows no convergence and touches no certificate.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "binary_system.hpp"
#include "exact_system.hpp"
#include "local_model.hpp"
#include "outer_loop.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/dispatch.hpp"
#include "working_hessian.hpp"

namespace setwise {

template <class Values>
class NewtonDirection {
  public:
    NewtonDirection(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : X_(features.columns),
          rows_(features.rows),
          peak_(features.column_peak),
          options_(options),
          system_(features),
          exact_(features),
          hessian_(features),
          spread_(X_.n_cols, 0.0f) {}

    // Fills step (one per feature, zero on entry) and returns the intercept's. Stops when no coordinate would change
    // its optimality by more than the effort's target, or after its sweeps.
    double solve(const std::vector<std::int32_t>& working_set, const LocalModel& model, double* step,
                 const std::atomic<bool>& stop, const Effort& effort) {
        prepare(working_set, model);
        effort_ = &effort;
        const double target = effort.target;
        sweeps_left_ = effort.max_sweeps;
        if (!settle_by_conjugates(target, stop) && !settle_by_sweeps(target, stop)) settle_exactly(target, stop);
        for (std::int32_t a = 0; a < m_; ++a) step[working_set[a]] = step_[a];
        return intercept_step_;
    }

  private:
    static constexpr double kEndless = std::numeric_limits<double>::infinity();

    // False when there is nothing to gain, or when they meet a system too ill-conditioned for them.
    bool settle_by_conjugates(double target, const std::atomic<bool>& stop) {
        const bool is_cheaper = m_ > options_.gram_limit || cost_of_conjugates() < cost_of_hessian();
        if (model_->penalty.l2 == 0.0 || !is_cheaper) return false;
        while (!sweep_features(target, options_.sweeps_between * static_cast<double>(entries_), stop)) {
            if (sweeps_left_ <= 0 || stop) return true;
            if (!follow_signs(target, stop)) return false;
        }
        return true;
    }

    // False when they crawl and may be helped.
    bool settle_by_sweeps(double target, const std::atomic<bool>& stop) {
        const bool may_help = effort_->left_out == 0.0 && m_ <= options_.exact_limit;
        const int kept_back = may_help ? std::max(0, sweeps_left_ - options_.patient_sweeps) : 0;
        sweeps_left_ -= kept_back;
        const double patience = m_ <= options_.gram_limit ? options_.gram_patience * cost_of_hessian() : kEndless;
        bool settled = sweep_features(target, patience, stop);
        if (!settled && sweeps_left_ > 0) {
            hessian_.form(*work_, curvature_, diagonal_, total_curvature_, effort_->left_out, stop);
            settled = sweep_hessian(target, stop);
        }
        sweeps_left_ = kept_back;
        return settled || !may_help || kept_back == 0;
    }

    // The minimum with signs held, then sweeps that settle who is zero, and again.
    void settle_exactly(double target, const std::atomic<bool>& stop) {
        int exact_left = options_.max_exact;
        while (sweeps_left_ > 0 && exact_left > 0 && !stop) {
            for (std::int32_t pass = 0; pass <= m_ && --exact_left >= 0 && !move_with_signs() && !stop; ++pass) {
            }
            value_of_step();
            if (sweep_features(target, options_.sweeps_between * static_cast<double>(entries_), stop)) return;
        }
    }

    // Moves to the exact minimum over the coordinates that are not zero, or as far as the first change of sign, whose
    // coordinate is then left at zero. True when the minimum was reached.
    bool move_with_signs() {
        free_.clear();
        shift_.assign(X_.n_rows, intercept_step_);
        for (std::int32_t a = 0; a < m_; ++a) {
            if (step_[a] != 0.0) column_add(X_, (*work_)[a], step_[a], shift_.data());
            if (model_->weights[(*work_)[a]] + step_[a] != 0.0) free_.push_back((*work_)[a]);
        }
        double pulled = 0.0;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) pulled += shift_[i] *= model_->curvature[i];
        solution_.clear();
        for (std::int32_t a = 0; a < m_; ++a) {
            const std::int32_t j = (*work_)[a];
            const double value = model_->weights[j] + step_[a];
            if (value == 0.0) continue;
            const double gradient = model_->gradient[j] + column_dot(X_, j, shift_.data());
            solution_.push_back(-(gradient + model_->penalty.l2 * value + std::copysign(model_->penalty.l1, value)));
        }
        solution_.push_back(-(model_->intercept_gradient + pulled));
        exact_.solve(free_, model_->curvature, model_->penalty.l2, solution_);
        double share = 1.0;
        std::size_t f = 0;
        std::int32_t first = -1;
        for (std::int32_t a = 0; a < m_; ++a) {
            const double value = model_->weights[(*work_)[a]] + step_[a];
            if (value == 0.0) continue;
            const double move = solution_[f++];
            if ((value + share * move) * value > 0.0) continue;
            share = -value / move;
            first = a;
        }
        f = 0;
        for (std::int32_t a = 0; a < m_; ++a) {
            if (model_->weights[(*work_)[a]] + step_[a] == 0.0) continue;
            step_[a] += share * solution_[f++];
            if (a == first) step_[a] = -model_->weights[(*work_)[a]];
        }
        intercept_step_ += share * solution_[f];
        return first < 0;
    }

    // Sets: work_, model_, m_, entries_, curvature_, total_curvature_, diagonal_; clears step_, intercept_step_, pull_.
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
        pull_.assign(n, 0.0f);
        diagonal_.resize(m_);
        entries_ = 0;
        for (std::int32_t a = 0; a < m_; ++a) {
            diagonal_[a] = column_square_dot(X_, working_set[a], curvature_.data());
            entries_ += X_.count(working_set[a]);
        }
    }

    // Both in entries read. The Hessian's as if the working set's entries were spread evenly over the documents.
    double cost_of_hessian() const {
        const double pairs = 0.5 * static_cast<double>(entries_) * (static_cast<double>(entries_) / X_.n_rows + 1.0);
        return options_.pair_cost * pairs + static_cast<double>(m_) * m_;
    }
    double cost_of_conjugates() const {
        return options_.typical_rounds * static_cast<double>(X_.indptr[X_.n_cols] + entries_);
    }

    // The new value of coordinate a, given the gradient of the quadratic there.
    double updated(std::int32_t a, double value, double gradient) const {
        return within_reach((*work_)[a], model_->penalty.minimiser(value, gradient, diagonal_[a]));
    }

    // False when the budget, in entries read, or the sweeps were used up first. Sets: step_, intercept_step_, pull_,
    // alive_, sweeps_left_.
    bool sweep_features(double target, double budget, const std::atomic<bool>& stop) {
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
                worst = std::max(worst, std::abs(change) * (diagonal_[a] + model_->penalty.l2));
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
        return false;
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
        dispatch<add_scaled>(n, static_cast<float>(change), curvature_.data(), pull_.data());
        return std::abs(change) * total_curvature_;
    }

    // Conjugate gradients on the coordinates that are not zero, as if no sign could change; those whose sign would are
    // stopped at zero. Undone if that raised the quadratic. False if it was not worth while. Sets: step_,
    // intercept_step_, pull_, pulled_; the buffers free_, free_diagonal_, residual_, moves_, kept_step_.
    bool follow_signs(double target, const std::atomic<bool>& stop) {
        free_.clear();
        free_diagonal_.clear();
        residual_.clear();
        const double before = value_of_step();
        const auto l2 = model_->penalty.l2;
        for (std::int32_t a = 0; a < m_; ++a) {
            const std::int32_t j = (*work_)[a];
            const double value = model_->weights[j] + step_[a];
            if (value == 0.0) continue;
            const double gradient = model_->gradient[j] + column_dot(X_, j, pull_.data());
            free_.push_back(j);
            free_diagonal_.push_back(diagonal_[a]);
            residual_.push_back(
                static_cast<float>(-(gradient + l2 * value + std::copysign(model_->penalty.l1, value))));
        }
        free_diagonal_.push_back(static_cast<float>(total_curvature_));
        residual_.push_back(static_cast<float>(-(model_->intercept_gradient + pulled_)));
        const bool solved = system_.solve(free_, curvature_, free_diagonal_, static_cast<float>(l2),
                                          options_.least_target * target, options_.max_rounds, residual_, moves_, stop);
        kept_step_ = step_;
        const double kept_intercept = intercept_step_;
        std::size_t f = 0;
        for (std::int32_t a = 0; a < m_; ++a) {
            const std::int32_t j = (*work_)[a];
            const double value = model_->weights[j] + step_[a];
            if (value == 0.0) continue;
            const double next = value + moves_[f++];
            step_[a] = (next > 0.0) == (value > 0.0) ? within_reach(j, next) - model_->weights[j] : -model_->weights[j];
        }
        intercept_step_ = clamp_move(intercept_step_ + moves_[f]);
        if (value_of_step() <= before) return solved;
        step_ = kept_step_;
        intercept_step_ = kept_intercept;
        value_of_step();
        return false;
    }

    // The quadratic at the current step. Also computes what the step pulls anew: sums of many changes drift. Sets:
    // pull_, pulled_.
    double value_of_step() {
        double value = model_->intercept_gradient * intercept_step_;
        for (std::int32_t a = 0; a < m_; ++a) {
            const std::int32_t j = (*work_)[a];
            const double start = model_->weights[j];
            value +=
                model_->gradient[j] * step_[a] + model_->penalty.value(start + step_[a]) - model_->penalty.value(start);
            spread_[j] = static_cast<float>(step_[a]);
        }
        double bend = 0.0;
        pulled_ = 0.0;
        for (std::int32_t i = 0; i < X_.n_rows; ++i) {
            const float shift = column_dot(rows_, i, spread_.data()) + static_cast<float>(intercept_step_);
            pull_[i] = curvature_[i] * shift;
            pulled_ += pull_[i];
            bend += pull_[i] * shift;
        }
        for (const std::int32_t j : *work_) spread_[j] = 0.0f;
        return value + 0.5 * bend;
    }

    double within_reach(std::int32_t j, double value) const {
        const double reach = effort_->max_move / peak_[j];
        return std::clamp(value, model_->weights[j] - reach, model_->weights[j] + reach);
    }

    double clamp_move(double move) const { return std::clamp(move, -effort_->max_move, effort_->max_move); }

    // False when the sweeps were used up first. Sets: step_, intercept_step_, sweeps_left_, and hessian_'s product.
    bool sweep_hessian(double target, const std::atomic<bool>& stop) {
        for (std::int32_t a = 0; a < m_; ++a)
            if (step_[a] != 0.0) hessian_.move(a, step_[a]);
        hessian_.move(m_, intercept_step_);
        while (sweeps_left_-- > 0 && !stop) {
            double worst = 0.0;
            if (total_curvature_ > 0.0) {
                const double gradient = model_->intercept_gradient + hessian_.bent(m_);
                const double change = clamp_move(intercept_step_ - gradient / total_curvature_) - intercept_step_;
                worst = std::abs(change) * total_curvature_;
                intercept_step_ += change;
                hessian_.move(m_, change);
            }
            for (std::int32_t a = 0; a < m_; ++a) {
                const std::int32_t j = (*work_)[a];
                const double value = model_->weights[j] + step_[a];
                const double change = updated(a, value, model_->gradient[j] + hessian_.bent(a)) - value;
                if (change == 0.0) continue;
                worst = std::max(worst, std::abs(change) * (diagonal_[a] + model_->penalty.l2));
                step_[a] += change;
                hessian_.move(a, change);
            }
            if (worst <= target) return true;
        }
        return false;
    }

    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    const double* peak_;
    const SolverOptions& options_;
    BinarySystem<Values> system_;
    ExactSystem<Values> exact_;
    WorkingHessian<Values> hessian_;

    const std::vector<std::int32_t>* work_ = nullptr;
    const LocalModel* model_ = nullptr;
    const Effort* effort_ = nullptr;
    std::int32_t m_ = 0;
    std::int64_t entries_ = 0;
    int sweeps_left_ = 0;
    double total_curvature_ = 0.0;
    std::vector<double> step_;
    double intercept_step_ = 0.0;
    std::vector<float> curvature_, diagonal_;
    std::vector<float> pull_;  // curvature_i * (x_i . d + d_0)
    double pulled_ = 0.0;      // its sum, where value_of_step() left it
    std::vector<std::int32_t> alive_;

    std::vector<std::int32_t> free_;  // not zero
    std::vector<float> free_diagonal_, residual_, moves_, spread_;
    std::vector<double> kept_step_, shift_, solution_;
};

}  // namespace setwise
