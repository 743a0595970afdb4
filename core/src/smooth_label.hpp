// The fit of one label without an L1 part: every weight counts, the objective is smooth, and so is its optimum as the
// strength falls. Here is all of it but the passes over the features, which it shares with other labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "label_targets.hpp"
#include "local_model.hpp"
#include "outer_loop.hpp"
#include "setwise/binary.hpp"
#include "setwise/penalty.hpp"
#include "solution_trail.hpp"

namespace setwise {

// What a fit waits for.
enum class Needs {
    nothing,    // it is over
    scores,     // products of the features with weights()
    gradient,   // products of the features with residual()
    direction,  // the solution of the Newton system of model()
};

// Between two passes a fit says what it needs(), and goes on when it is told that it has it. Each Newton iteration
// starts from the weights alone, so a fit that is stopped and started again takes the same steps.
template <class Loss>
class SmoothLabel {
  public:
    SmoothLabel(std::int32_t n_documents, std::int32_t n_features, const std::int32_t* caller_order,
                const BinaryTargets& targets, const BinaryStart& start, const SolverOptions& options)
        : n_(n_documents),
          d_(n_features),
          caller_order_(caller_order),
          targets_(targets),
          start_(start),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          trail_(options.trail_length),
          y_(n_),
          products_(n_),
          products_before_(n_),
          scores_(n_),
          scores_before_(n_),
          residual_(n_),
          curvature_(n_),
          gradient_(d_),
          weights_(d_),
          weights_before_(d_),
          step_(d_) {}

    // Begins to fit a label at each strength of the path and then at the last, into fits[0], fits[1], ...
    void begin(std::int32_t label, BinaryFit* fits) {
        label_ = label;
        fits_ = fits;
        at_strength_ = 0;
        trail_.clear();
        load_targets(targets_, label_, y_);
        for (auto* values : {&weights_, &products_}) std::fill(values->begin(), values->end(), 0.0);
        const std::int64_t first = start_.indptr[label_], end = start_.indptr[label_ + 1];
        for (std::int64_t e = first; e < end; ++e) weights_[caller_order_[start_.indices[e]]] = start_.values[e];
        intercept_ = start_.intercept[label_];
        point_ = Point::start;
        needs_ = Needs::scores;
        if (first == end) continue_with_scores();  // no weights: the products are zero
    }

    Needs needs() const { return needs_; }
    const std::vector<double>& weights() const { return weights_; }
    const std::vector<double>& residual() const { return residual_; }
    const std::vector<double>& curvature() const { return curvature_; }
    std::vector<double>& products() { return products_; }  // to be filled when scores are needed
    std::vector<double>& gradient() { return gradient_; }  // to be filled when the gradient is needed
    std::vector<double>& step() { return step_; }          // to be filled when a direction is needed
    LocalModel model() const {
        return {penalty_, weights_.data(), gradient_.data(), intercept_gradient_, curvature_.data()};
    }
    double target() const { return target_; }  // of the direction: largest violation of the quadratic's own optimum

    // products() has the scores without intercept and offsets.
    void continue_with_scores() {
        find_loss();
        if (point_ == Point::trial) return search();
        needs_ = Needs::gradient;
    }

    // Calls visit(feature) for every feature that the label may not use.
    template <class Visit>
    void for_each_barred(Visit visit) const {
        if (targets_.column_limit == nullptr) return;
        for (std::int32_t p = targets_.column_limit[label_]; p < d_; ++p) visit(caller_order_[p]);
    }

    // gradient() is filled, with zeros where the label may not use a feature.
    void continue_with_gradient() {
        intercept_gradient_ = std::accumulate(residual_.begin(), residual_.end(), 0.0);
        if (point_ == Point::start) begin_strength();
        certify();
        const bool is_over = violation_ <= tol() || iteration_ == options_.max_iter;
        if (is_over && point_ == Point::predicted) {
            point_ = Point::confirmed;  // a certificate is that of the weights, to the last bit
            needs_ = Needs::scores;
            return;
        }
        fit().history.push_back({label_, iteration_, n_nonzero_, objective_, violation_, taken_});
        fit().n_iter = iteration_;
        if (is_over) return end_strength();
        target_ = choose_effort(violation_, strength_, tol(), iteration_, options_).target;
        // A prediction comes so close that the quadratic is all but exact: its minimum may be the last step.
        if (is_predicted_) target_ = std::min(target_, options_.trail_target * tol());
        needs_ = Needs::direction;
    }

    // step() is filled: tries all of it. Sets: what is tried, and all that lies before it.
    void continue_with_direction(double intercept_step) {
        intercept_step_ = intercept_step;
        promised_ = intercept_gradient_ * intercept_step_;
        double promised = 0.0;
#pragma omp simd reduction(+ : promised)
        for (std::int32_t j = 0; j < d_; ++j)
            promised += step_[j] * (gradient_[j] + penalty_.l2 * (weights_[j] + 0.5 * step_[j]));
        promised_ += promised;
        weights_before_.swap(weights_);
        products_before_.swap(products_);
        scores_before_.swap(scores_);
        intercept_before_ = intercept_;
        loss_before_ = loss_;
        move_to(1.0);
        point_ = Point::trial;
        needs_ = Needs::scores;
    }

  private:
    // What the weights are.
    enum class Point {
        start,      // where the label begins
        predicted,  // where the fits so far lead; the products are predicted too
        confirmed,  // the same, with products of their own
        trial,      // a whole Newton step from the weights before
        taken,      // the end of an iteration
    };

    BinaryFit& fit() { return fits_[at_strength_]; }
    double tol() const { return options_.tol[label_]; }

    // Sets: strength_, penalty_, iteration_, taken_, is_predicted_.
    void begin_strength() {
        const bool is_last = at_strength_ == options_.path.size();
        strength_ = options_.strength_of(is_last ? options_.strength : options_.path[at_strength_], label_);
        penalty_ = ElasticNet(strength_, options_.l1_ratio);
        iteration_ = 0;
        taken_ = 0.0;
        is_predicted_ = !trail_.empty() && follow_trail();
    }

    // Stores the fit, and goes on to the next strength if there is one.
    void end_strength() {
        store();
        if (at_strength_ == options_.path.size()) {
            needs_ = Needs::nothing;
            return;
        }
        trail_.add({strength_, intercept_, weights_, products_});
        ++at_strength_;
        begin_strength();
        point_ = is_predicted_ ? Point::predicted : Point::taken;
        needs_ = Needs::gradient;
    }

    // Moves to where the fits so far lead; false if that is worse than where the last one ended, which then stays.
    // Sets: intercept_, weights_, products_, and what find_loss() does.
    bool follow_trail() {
        const double stay = loss_ + penalty_of_weights();
        trail_.predict(strength_, intercept_, weights_, products_);
        find_loss();
        const bool helps = loss_ + penalty_of_weights() <= stay;
        if (!helps) {
            const Solution& last = trail_.last();
            intercept_ = last.intercept;
            weights_ = last.weights;
            products_ = last.products;
            find_loss();
        }
        return helps;
    }

    // Sets: scores_, loss_, residual_, curvature_.
    void find_loss() {
        load_scores(targets_, label_, intercept_, scores_);
        for (std::int32_t i = 0; i < n_; ++i) scores_[i] += products_[i];
        loss_ = Loss::mean_and_derivatives(n_, scores_.data(), y_.data(), targets_.weight, residual_.data(),
                                           curvature_.data());
    }

    // Decides how much of the step to take, given the loss after all of it. A share of it costs no pass to try: scores
    // are linear in the weights.
    void search() {
        const double after_all = loss_ + penalty_of_weights();
        bool has_along = false;
        taken_ = search_line(objective_, promised_, options_, [&](double share) {
            if (share == 1.0) return after_all;
            if (!has_along)
                for (std::int32_t i = 0; i < n_; ++i) scores_[i] -= scores_before_[i];
            has_along = true;
            move_to(share);
            return penalty_of_weights() +
                   Loss::mean_along(n_, scores_before_.data(), scores_.data(), share, y_.data(), targets_.weight);
        });
        if (taken_ == 0.0) {  // no share of the step lowers the objective
            weights_.swap(weights_before_);
            products_.swap(products_before_);
            intercept_ = intercept_before_;
            loss_ = loss_before_;
            return end_strength();
        }
        ++iteration_;
        point_ = Point::taken;
        needs_ = taken_ == 1.0 ? Needs::gradient : Needs::scores;
    }

    // Sets: weights_, intercept_.
    void move_to(double share) {
        for (std::int32_t j = 0; j < d_; ++j) weights_[j] = weights_before_[j] + share * step_[j];
        intercept_ = intercept_before_ + share * intercept_step_;
    }

    double penalty_of_weights() const {
        double squares = 0.0;
#pragma omp simd reduction(+ : squares)
        for (std::int32_t j = 0; j < d_; ++j) squares += weights_[j] * weights_[j];
        return 0.5 * penalty_.l2 * squares;
    }

    // The objective and its certificate under the current penalty. Sets: objective_, n_nonzero_, violation_.
    void certify() {
        objective_ = loss_ + penalty_of_weights();
        n_nonzero_ = d_ - static_cast<std::int32_t>(std::count(weights_.begin(), weights_.end(), 0.0));
        double worst = std::abs(intercept_gradient_);
#pragma omp simd reduction(max : worst)
        for (std::int32_t j = 0; j < d_; ++j)
            worst = std::max(worst, std::abs(gradient_[j] + penalty_.l2 * weights_[j]));
        violation_ = worst;
    }

    void store() {
        if (options_.dense.empty()) {
            for (std::int32_t p = 0; p < d_; ++p) {
                const double weight = weights_[caller_order_[p]];
                if (weight == 0.0) continue;
                fit().indices.push_back(p);
                fit().values.push_back(weight);
            }
        } else {
            double* out = options_.dense[at_strength_] + static_cast<std::int64_t>(label_) * d_;
            for (std::int32_t p = 0; p < d_; ++p) out[p] = weights_[caller_order_[p]];
        }
        fit().intercept = intercept_;
        fit().violation = violation_;
        fit().objective = objective_;
    }

    const std::int32_t n_, d_;  // documents and features
    const std::int32_t* caller_order_;
    const BinaryTargets& targets_;
    const BinaryStart& start_;
    const SolverOptions& options_;
    ElasticNet penalty_;
    SolutionTrail trail_;

    Needs needs_ = Needs::nothing;
    Point point_ = Point::start;
    BinaryFit* fits_ = nullptr;
    std::size_t at_strength_ = 0;
    bool is_predicted_ = false;  // whether the strength began at a prediction
    std::int32_t label_ = 0, n_nonzero_ = 0;
    int iteration_ = 0;
    // One per document; `before`: at the weights before the step.
    std::vector<double> y_, products_, products_before_, scores_, scores_before_, residual_, curvature_;
    // One per feature; zero where it may not be used.
    std::vector<double> gradient_, weights_, weights_before_, step_;
    double intercept_ = 0.0, intercept_before_ = 0.0, intercept_gradient_ = 0.0, intercept_step_ = 0.0;
    double strength_ = 0.0, loss_ = 0.0, loss_before_ = 0.0, objective_ = 0.0, violation_ = 0.0;
    double taken_ = 0.0, promised_ = 0.0, target_ = 0.0;
};

}  // namespace setwise
