// Fits labels without an L1 part: every weight counts, the objective is smooth, and so is its optimum as the strength
// falls.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "conjugate_direction.hpp"
#include "curved_direction.hpp"
#include "label_targets.hpp"
#include "outer_loop.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/penalty.hpp"
#include "solution_trail.hpp"

namespace setwise {

// Fits one label after the other with the same buffers. Each iteration starts from the weights alone, so a fit that is
// stopped and started again takes the same steps.
template <class Values, class Loss>
class SmoothSolver {
  public:
    SmoothSolver(const FeatureMatrix<Values>& features, const BinaryTargets& targets, const BinaryStart& start,
                 const SolverOptions& options, const std::atomic<bool>& stop)
        : features_(features),
          X_(features.columns),
          rows_(features.rows),
          caller_order_(features.caller_order),
          targets_(targets),
          start_(start),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          stop_(stop),
          direction_(features, options),
          trail_(options.trail_length),
          y_(X_.n_rows),
          products_(X_.n_rows),
          scores_(X_.n_rows),
          residual_(X_.n_rows),
          curvature_(X_.n_rows),
          gradient_(X_.n_cols),
          weights_(X_.n_cols),
          before_(X_.n_cols),
          step_(X_.n_cols) {}

    // Fits the label at each strength of the path and then at the last, into fits[0], fits[1], ...
    void fit(std::int32_t label, BinaryFit* fits) {
        label_ = label;
        load();
        trail_.clear();
        is_scaled_ = false;
        evaluate();
        for (std::size_t s = 0; s < options_.path.size(); ++s) {
            const double strength = options_.strength_of(options_.path[s], label);
            fit_at(strength, fits[s]);
            store(s, fits[s]);
            trail_.add({strength, intercept_, weights_, products_});
        }
        const std::size_t last = options_.path.size();
        fit_at(options_.strength_of(options_.strength, label), fits[last]);
        store(last, fits[last]);
    }

  private:
    void fit_at(double strength, BinaryFit& fit) {
        penalty_ = ElasticNet(strength, options_.l1_ratio);
        taken_ = 0.0;
        const double tol = options_.tol[label_];
        const bool is_predicted = !trail_.empty() && follow_trail(strength);
        const auto is_over = [&](int iteration) {
            return violation_ <= tol || iteration == options_.max_iter || stop_;
        };
        for (int iteration = 0;; ++iteration) {
            certify();
            if (is_predicted && iteration == 0 && is_over(iteration)) {
                evaluate();  // a certificate is that of the weights, to the last bit
                certify();
            }
            fit.history.push_back({label_, iteration, n_nonzero_, objective_, violation_, taken_});
            fit.n_iter = iteration;
            if (is_over(iteration)) break;
            double target = choose_effort(violation_, strength, tol, iteration, options_).target;
            // A prediction comes so close that the quadratic is all but exact: its minimum may be the last step.
            if (is_predicted) target = std::min(target, options_.trail_target * tol);
            if (!(is_predicted && iteration == 0))
                is_scaled_ = false;  // the scaling may be old where little is missing
            if (!advance(target)) break;
        }
    }

    // Starts where the fits so far lead; false if that is worse than where the last one ended, which is then the start.
    // Sets: intercept_, weights_, products_, and what find_loss() and differentiate() do.
    bool follow_trail(double strength) {
        const double stay = loss_ + penalty_of_weights();
        trail_.predict(strength, intercept_, weights_, products_);
        find_loss();
        const bool helps = loss_ + penalty_of_weights() <= stay;
        if (!helps) {
            const Solution& last = trail_.last();
            intercept_ = last.intercept;
            weights_ = last.weights;
            products_ = last.products;
            find_loss();
        }
        differentiate();
        return helps;
    }

    // Sets: columns_, y_, weights_, intercept_; clears gradient_ and step_.
    void load() {
        choose_columns(features_, targets_, label_, columns_);
        load_targets(targets_, label_, y_);
        for (auto* values : {&gradient_, &weights_, &step_}) std::fill(values->begin(), values->end(), 0.0);
        for (std::int64_t e = start_.indptr[label_]; e < start_.indptr[label_ + 1]; ++e)
            weights_[caller_order_[start_.indices[e]]] = start_.values[e];
        intercept_ = start_.intercept[label_];
    }

    // All that no penalty changes: what score() finds, and the gradient.
    void evaluate() {
        score();
        differentiate();
    }

    // Products, loss, residuals and curvatures at the current weights. Rows are read: a gather costs less than a
    // scatter.
    void score() {
        for (std::int32_t i = 0; i < X_.n_rows; ++i) products_[i] = column_dot(rows_, i, weights_.data());
        find_loss();
    }

    // The same where the products are computed already. Sets: scores_, loss_, residual_, curvature_.
    void find_loss() {
        load_scores(targets_, label_, intercept_, scores_);
        for (std::int32_t i = 0; i < X_.n_rows; ++i) scores_[i] += products_[i];
        loss_ = Loss::mean_and_derivatives(X_.n_rows, scores_.data(), y_.data(), targets_.weight, residual_.data(),
                                           curvature_.data());
    }

    // Sets: gradient_, intercept_gradient_.
    void differentiate() {
        intercept_gradient_ = std::accumulate(residual_.begin(), residual_.end(), 0.0);
        for (const std::int32_t j : columns_) gradient_[j] = column_dot(X_, j, residual_.data());
    }

    double penalty_of_weights() const {
        double squares = 0.0;
#pragma omp simd reduction(+ : squares)
        for (std::int32_t j = 0; j < X_.n_cols; ++j) squares += weights_[j] * weights_[j];
        return 0.5 * penalty_.l2 * squares;
    }

    // The objective and its certificate under the current penalty. Sets: objective_, n_nonzero_, violation_.
    void certify() {
        objective_ = loss_ + penalty_of_weights();
        n_nonzero_ = X_.n_cols - static_cast<std::int32_t>(std::count(weights_.begin(), weights_.end(), 0.0));
        double worst = std::abs(intercept_gradient_);
#pragma omp simd reduction(max : worst)
        for (std::int32_t j = 0; j < X_.n_cols; ++j)
            worst = std::max(worst, std::abs(gradient_[j] + penalty_.l2 * weights_[j]));
        violation_ = worst;
    }

    // Takes a Newton step; false if no share of it lowers the objective. Sets: step_, intercept_step_, is_scaled_,
    // taken_, and the weights with all that score() and differentiate() set; before_ has the weights before the step.
    bool advance(double target) {
        const LocalModel model{penalty_, weights_.data(), gradient_.data(), intercept_gradient_, curvature_.data()};
        intercept_step_ = direction_.solve(columns_, model, step_.data(), stop_, target, is_scaled_);
        is_scaled_ = !Loss::kHasFlatPart;  // with a flat part, the features of the system change
        double promised = 0.0;
#pragma omp simd reduction(+ : promised)
        for (std::int32_t j = 0; j < X_.n_cols; ++j)
            promised += step_[j] * (gradient_[j] + penalty_.l2 * (weights_[j] + 0.5 * step_[j]));
        promised += intercept_gradient_ * intercept_step_;
        before_.swap(weights_);
        const double before_intercept = intercept_;
        taken_ = search_line(objective_, promised, options_, [&](double share) {
            for (std::int32_t j = 0; j < X_.n_cols; ++j) weights_[j] = before_[j] + share * step_[j];
            intercept_ = before_intercept + share * intercept_step_;
            score();
            return loss_ + penalty_of_weights();
        });
        if (taken_ > 0.0) {
            differentiate();
            return true;
        }
        weights_.swap(before_);
        intercept_ = before_intercept;
        score();
        return false;
    }

    void store(std::size_t which_strength, BinaryFit& fit) const {
        if (options_.dense.empty()) {
            for (std::int32_t p = 0; p < X_.n_cols; ++p) {
                const double weight = weights_[caller_order_[p]];
                if (weight == 0.0) continue;
                fit.indices.push_back(p);
                fit.values.push_back(weight);
            }
        } else {
            double* out = options_.dense[which_strength] + static_cast<std::int64_t>(label_) * X_.n_cols;
            for (std::int32_t p = 0; p < X_.n_cols; ++p) out[p] = weights_[caller_order_[p]];
        }
        fit.intercept = intercept_;
        fit.violation = violation_;
        fit.objective = objective_;
    }

    const FeatureMatrix<Values>& features_;
    const Columns<Values>& X_;
    const Columns<Values>& rows_;
    const std::int32_t* caller_order_;
    const BinaryTargets& targets_;
    const BinaryStart& start_;
    const SolverOptions& options_;
    ElasticNet penalty_;
    const std::atomic<bool>& stop_;
    DirectionFor<Loss, ConjugateDirection<Values>, Values> direction_;
    SolutionTrail trail_;

    std::int32_t label_ = 0, n_nonzero_ = 0;
    bool is_scaled_ = false;                                            // by curvatures of the same label
    std::vector<double> y_, products_, scores_, residual_, curvature_;  // one per document; products_: with the weights
    std::vector<double> gradient_, weights_, before_, step_;  // one per feature; zero where it may not be used
    std::vector<std::int32_t> columns_;                       // all that the label may use; rising
    double intercept_ = 0.0, intercept_gradient_ = 0.0, intercept_step_ = 0.0;
    double loss_ = 0.0, objective_ = 0.0, violation_ = 0.0, taken_ = 0.0;
};

}  // namespace setwise
