// Fits labels with an L1 part: most weights are zero, and an iteration moves a working set of the others.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "curved_direction.hpp"
#include "label_targets.hpp"
#include "newton_direction.hpp"
#include "outer_loop.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/penalty.hpp"

namespace setwise {

// Fits one label after the other with the same buffers. Each iteration starts from the weights alone, so a fit that is
// stopped and started again takes the same steps.
template <class Values, class Loss>
class SparseSolver {
  public:
    SparseSolver(const FeatureMatrix<Values>& features, const BinaryTargets& targets, const BinaryStart& start,
                 const SolverOptions& options, const std::atomic<bool>& stop)
        : features_(features),
          X_(features.columns),
          caller_order_(features.caller_order),
          targets_(targets),
          start_(start),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          stop_(stop),
          direction_(features, options),
          y_(X_.n_rows),
          scores_(X_.n_rows),
          residual_(X_.n_rows),
          curvature_(X_.n_rows),
          along_(X_.n_rows),
          gradient_(X_.n_cols),
          weights_(X_.n_cols),
          step_(X_.n_cols) {}

    // Fits the label at each strength of the path and then at the last, into fits[0], fits[1], ...
    void fit(std::int32_t label, BinaryFit* fits) {
        load(label);
        evaluate(label);
        for (const double strength : options_.path) fit_at(options_.strength_of(strength, label), label, *fits++);
        fit_at(options_.strength_of(options_.strength, label), label, *fits);
    }

  private:
    void fit_at(double strength, std::int32_t label, BinaryFit& fit) {
        penalty_ = ElasticNet(strength, options_.l1_ratio);
        taken_ = 0.0;
        const double tol = options_.tol[label];
        for (int iteration = 0;; ++iteration) {
            certify();
            const auto n_nonzero = static_cast<std::int32_t>(active_.size());
            fit.history.push_back({label, iteration, n_nonzero, objective_, violation_, taken_});
            fit.n_iter = iteration;
            if (violation_ <= tol || iteration == options_.max_iter || stop_) break;
            const Effort effort = choose_effort(violation_, strength, tol, iteration, options_);
            if (!advance(effort) && !advance(kept_short(effort, options_))) break;
            evaluate(label);
        }
        store(fit);
    }

    // Sets: columns_, y_, active_, weights_, intercept_.
    void load(std::int32_t label) {
        choose_columns(features_, targets_, label, columns_);
        load_targets(targets_, label, y_);
        for (const std::int32_t j : active_) weights_[j] = 0.0;
        active_.clear();
        for (std::int64_t e = start_.indptr[label]; e < start_.indptr[label + 1]; ++e) {
            const std::int32_t j = caller_order_[start_.indices[e]];
            weights_[j] = start_.values[e];
            if (weights_[j] != 0.0) active_.push_back(j);  // the working set counts on it
        }
        std::sort(active_.begin(), active_.end());
        intercept_ = start_.intercept[label];
    }

    // Scores, loss, residuals, curvatures and the whole gradient at the current weights: all that no penalty changes.
    // Sets: scores_, loss_, residual_, curvature_, gradient_, intercept_gradient_.
    void evaluate(std::int32_t label) {
        load_scores(targets_, label, intercept_, scores_);
        add_product(active_, weights_.data(), scores_);
        loss_ = Loss::mean_and_derivatives(X_.n_rows, scores_.data(), y_.data(), targets_.weight, residual_.data(),
                                           curvature_.data());
        intercept_gradient_ = std::accumulate(residual_.begin(), residual_.end(), 0.0);
        for (const std::int32_t j : columns_) gradient_[j] = column_dot(X_, j, residual_.data());
    }

    // The objective and its certificate under the current penalty. Sets: objective_, violation_.
    void certify() {
        objective_ = loss_;
        for (const std::int32_t j : active_) objective_ += penalty_.value(weights_[j]);
        violation_ = std::abs(intercept_gradient_);
        for (const std::int32_t j : columns_)
            violation_ = std::max(violation_, penalty_.violation(weights_[j], gradient_[j]));
    }

    // out += X v, where v is zero outside the given features.
    void add_product(const std::vector<std::int32_t>& nonzero, const double* v, std::vector<double>& out) const {
        for (const std::int32_t j : nonzero) column_add(X_, j, v[j], out.data());
    }

    bool advance(const Effort& effort) {
        find_direction(effort);
        return step();
    }

    // Sets: working_set_, step_, intercept_step_.
    void find_direction(const Effort& effort) {
        const LocalModel model{penalty_, weights_.data(), gradient_.data(), intercept_gradient_, curvature_.data()};
        gather_working_set();
        step_.assign(X_.n_cols, 0.0);
        intercept_step_ = direction_.solve(working_set_, model, step_.data(), stop_, effort);
    }

    // Sets: joining_, working_set_.
    void gather_working_set() {
        joining_.clear();
        for (const std::int32_t j : columns_) {
            const double violation = weights_[j] == 0.0 ? penalty_.violation(0.0, gradient_[j]) : 0.0;
            if (violation > 0.0) joining_.emplace_back(-violation, j);
        }
        choose_working_set(active_, joining_, options_, working_set_);
    }

    // Moves along the direction; false if no step lowers the objective. Sets: along_, taken_, and what take() does.
    bool step() {
        double promised = intercept_gradient_ * intercept_step_;
        for (const std::int32_t j : working_set_)
            promised += gradient_[j] * step_[j] + penalty_.value(weights_[j] + step_[j]) - penalty_.value(weights_[j]);
        std::fill(along_.begin(), along_.end(), intercept_step_);
        add_product(working_set_, step_.data(), along_);
        taken_ = search_line(objective_, promised, options_, [&](double share) { return objective_at(share); });
        if (taken_ > 0.0) take(taken_);
        return taken_ > 0.0;
    }

    double objective_at(double share) const {
        double objective =
            Loss::mean_along(X_.n_rows, scores_.data(), along_.data(), share, y_.data(), targets_.weight);
        for (const std::int32_t j : working_set_) objective += penalty_.value(weights_[j] + share * step_[j]);
        return objective;
    }

    // Sets: active_, weights_, intercept_.
    void take(double share) {
        active_.clear();
        for (const std::int32_t j : working_set_) {
            weights_[j] += share * step_[j];
            if (weights_[j] != 0.0) active_.push_back(j);
        }
        intercept_ += share * intercept_step_;
    }

    void store(BinaryFit& fit) const {
        fit.indices.reserve(active_.size());
        fit.values.reserve(active_.size());
        for (std::int32_t p = 0; p < X_.n_cols; ++p) {
            const double weight = weights_[caller_order_[p]];
            if (weight == 0.0) continue;
            fit.indices.push_back(p);
            fit.values.push_back(weight);
        }
        fit.intercept = intercept_;
        fit.violation = violation_;
        fit.objective = objective_;
    }

    const FeatureMatrix<Values>& features_;
    const Columns<Values>& X_;
    const std::int32_t* caller_order_;
    const BinaryTargets& targets_;
    const BinaryStart& start_;
    const SolverOptions& options_;
    ElasticNet penalty_;
    const std::atomic<bool>& stop_;
    DirectionFor<Loss, NewtonDirection<Values>, Values> direction_;

    std::vector<double> y_, scores_, residual_, curvature_, along_;  // one per document
    std::vector<double> gradient_, weights_, step_;                  // one per feature
    std::vector<std::int32_t> columns_, active_, working_set_;       // rising; columns_: all that the label may use
    std::vector<std::pair<double, std::int32_t>> joining_;
    double intercept_ = 0.0, intercept_gradient_ = 0.0, intercept_step_ = 0.0;
    double loss_ = 0.0, objective_ = 0.0, violation_ = 0.0, taken_ = 0.0;
};

}  // namespace setwise
