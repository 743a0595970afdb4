#include "setwise/multinomial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "class_kernels.hpp"
#include "multinomial_direction.hpp"
#include "outer_loop.hpp"
#include "setwise/penalty.hpp"

namespace setwise {
namespace {

template <class Values>
class MultinomialSolver {
  public:
    MultinomialSolver(const FeatureMatrix<Values>& features, const MultinomialTargets& targets,
                      const SolverOptions& options, const std::atomic<bool>& stop, bool shifts)
        : X_(features.columns),
          caller_order_(features.caller_order),
          n_(X_.n_rows),
          d_(X_.n_cols),
          classes_(targets.n_classes),
          stride_(padded(targets.n_classes)),
          targets_(targets),
          options_(options),
          penalty_(options.strength, options.l1_ratio),
          smooth_(penalty_.l1 == 0.0),
          stop_(stop),
          direction_(features, classes_, options, shifts),
          y_(rows()),
          scores_(rows()),
          probability_(rows()),
          residual_(rows()),
          along_(rows()),
          gradient_(blocks()),
          weights_(blocks()),
          step_(blocks()) {
        // Row d of each matrix over features is the intercept's.
        for (std::int64_t i = 0; i < n_; ++i) std::copy_n(targets.y + i * classes_, classes_, y_.data() + i * stride_);
    }

    MultinomialFit fit(const double* start_weights, const double* start_intercept) {
        for (std::int64_t p = 0; p < d_; ++p)
            std::copy_n(start_weights + p * classes_, classes_, block(weights_, caller_order_[p]));
        std::copy_n(start_intercept, classes_, block(weights_, d_));
        find_active();
        MultinomialFit fit;
        const double tol = options_.tol[0];
        for (int iteration = 0;; ++iteration) {
            centre_intercepts();
            evaluate();
            fit.history.push_back({0, iteration, n_nonzero(), objective_, violation_, taken_});
            fit.n_iter = iteration;
            if (violation_ <= tol || iteration == options_.max_iter || stop_) break;
            gather_working_set();
            const Effort effort = choose_effort(violation_, options_.strength, tol, iteration, options_);
            if (!advance(effort) && !advance(kept_short(effort, options_))) break;
        }
        store(fit);
        return fit;
    }

  private:
    std::size_t rows() const { return static_cast<std::size_t>(n_) * stride_; }
    std::size_t blocks() const { return (static_cast<std::size_t>(d_) + 1) * stride_; }
    double* block(std::vector<double>& values, std::int64_t j) const { return values.data() + j * stride_; }
    const double* block(const std::vector<double>& values, std::int64_t j) const { return values.data() + j * stride_; }

    void find_active() {
        active_.clear();
        for (std::int32_t j = 0; j < d_; ++j)
            if (std::any_of(block(weights_, j), block(weights_, j) + classes_, [](double w) { return w != 0.0; }))
                active_.push_back(j);
    }

    std::int32_t n_nonzero() const {
        const double* end = block(weights_, d_);
        return static_cast<std::int32_t>(std::count_if(weights_.data(), end, [](double w) { return w != 0.0; }));
    }

    // Leaves intercepts alone whose mean is zero to rounding, so that a fit in single iterations has the bits of one.
    void centre_intercepts() {
        double* b = block(weights_, d_);
        while (true) {
            const double mean = std::accumulate(b, b + classes_, 0.0) / classes_;
            double largest = 0.0;
            for (std::int32_t k = 0; k < classes_; ++k) largest = std::max(largest, std::abs(b[k]));
            if (!(std::abs(mean) > classes_ * std::numeric_limits<double>::epsilon() * largest)) return;
            for (std::int32_t k = 0; k < classes_; ++k) b[k] -= mean;
        }
    }

    // out_i = (given where not null) + values_d + sum_j x_ij values_j.
    void product(const std::vector<std::int32_t>& which, const std::vector<double>& values, const double* given,
                 std::vector<double>& out) const {
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int32_t k = 0; k < classes_; ++k)
                out[i * stride_ + k] = block(values, d_)[k] + (given ? given[i * classes_ + k] : 0.0);
        for (const std::int32_t j : which) column_spread(X_, j, stride_, block(values, j), out.data());
    }

    void evaluate() {
        product(active_, weights_, targets_.offset, scores_);
        objective_ = softmax_loss(n_, classes_, stride_, scores_.data(), scores_.data(), 0.0, y_.data(),
                                  targets_.weight, probability_.data(), residual_.data());
        for (const std::int32_t j : active_) objective_ += penalty_of(j, 0.0);
        std::fill(gradient_.begin(), gradient_.end(), 0.0);
        violation_ = 0.0;
        for (std::int32_t j = 0; j < d_; ++j) {
            column_times(X_, j, stride_, residual_.data(), block(gradient_, j));
            for (std::int32_t k = 0; k < classes_; ++k)
                violation_ = std::max(violation_, penalty_.violation(block(weights_, j)[k], block(gradient_, j)[k]));
        }
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int32_t k = 0; k < classes_; ++k) block(gradient_, d_)[k] += residual_[i * stride_ + k];
        for (std::int32_t k = 0; k < classes_; ++k)
            violation_ = std::max(violation_, std::abs(block(gradient_, d_)[k]));
    }

    // The penalty of a feature's weights after a share of the step.
    double penalty_of(std::int32_t j, double share) const {
        double total = 0.0;
        for (std::int32_t k = 0; k < classes_; ++k)
            total += penalty_.value(block(weights_, j)[k] + share * block(step_, j)[k]);
        return total;
    }

    void gather_working_set() {
        if (smooth_) {
            working_set_.resize(d_);
            std::iota(working_set_.begin(), working_set_.end(), 0);
            return;
        }
        joining_.clear();
        auto next_active = active_.begin();
        for (std::int32_t j = 0; j < d_; ++j) {
            if (next_active != active_.end() && *next_active == j) {
                ++next_active;
                continue;
            }
            double violation = 0.0;
            for (std::int32_t k = 0; k < classes_; ++k)
                violation = std::max(violation, penalty_.violation(0.0, block(gradient_, j)[k]));
            if (violation > 0.0) joining_.emplace_back(-violation, j);
        }
        choose_working_set(active_, joining_, options_, working_set_);
    }

    bool advance(const Effort& effort) {
        const ClassModel model{weights_.data(), gradient_.data(), probability_.data(), targets_.weight};
        std::fill(step_.begin(), step_.end(), 0.0);
        direction_.solve(working_set_, model, effort, step_.data(), stop_);
        return step();
    }

    // Moves along the direction; false if no step lowers the objective.
    bool step() {
        double promised = 0.0;
        for (std::int32_t k = 0; k < classes_; ++k) promised += block(gradient_, d_)[k] * block(step_, d_)[k];
        for (const std::int32_t j : working_set_) {
            promised += penalty_of(j, 1.0) - penalty_of(j, 0.0);
            for (std::int32_t k = 0; k < classes_; ++k) promised += block(gradient_, j)[k] * block(step_, j)[k];
        }
        product(working_set_, step_, nullptr, along_);
        taken_ = search_line(objective_, promised, options_, [&](double share) {
            double objective = softmax_loss(n_, classes_, stride_, scores_.data(), along_.data(), share, y_.data(),
                                            targets_.weight, nullptr, nullptr);
            for (const std::int32_t j : working_set_) objective += penalty_of(j, share);
            return objective;
        });
        for (std::size_t at = 0; taken_ > 0.0 && at < weights_.size(); ++at) weights_[at] += taken_ * step_[at];
        find_active();
        return taken_ > 0.0;
    }

    void store(MultinomialFit& fit) const {
        fit.weights.resize(static_cast<std::size_t>(d_) * classes_);
        for (std::int64_t p = 0; p < d_; ++p)
            std::copy_n(block(weights_, caller_order_[p]), classes_, fit.weights.data() + p * classes_);
        fit.intercept.assign(block(weights_, d_), block(weights_, d_) + classes_);
        fit.violation = violation_;
        fit.objective = objective_;
    }

    const Columns<Values>& X_;
    const std::int32_t* caller_order_;
    const std::int32_t n_, d_, classes_, stride_;
    const MultinomialTargets& targets_;
    const SolverOptions& options_;
    const ElasticNet penalty_;
    const bool smooth_;  // no L1 part
    const std::atomic<bool>& stop_;
    MultinomialDirection<Values> direction_;

    std::vector<double> y_, scores_, probability_, residual_, along_;  // documents x classes
    std::vector<double> gradient_, weights_, step_;                    // features and intercept x classes
    std::vector<std::int32_t> active_, working_set_;                   // features, rising
    std::vector<std::pair<double, std::int32_t>> joining_;
    double objective_ = 0.0, violation_ = 0.0, taken_ = 0.0;
};

}  // namespace

template <class Values>
MultinomialFit fit_multinomial(const FeatureMatrix<Values>& features, const MultinomialTargets& targets,
                               const double* start_weights, const double* start_intercept, const SolverOptions& options,
                               const std::atomic<bool>& stop, bool shifts) {
    return MultinomialSolver<Values>(features, targets, options, stop, shifts).fit(start_weights, start_intercept);
}

template MultinomialFit fit_multinomial(const FeatureMatrix<Ones>&, const MultinomialTargets&, const double*,
                                        const double*, const SolverOptions&, const std::atomic<bool>&, bool);
template MultinomialFit fit_multinomial(const FeatureMatrix<const float*>&, const MultinomialTargets&, const double*,
                                        const double*, const SolverOptions&, const std::atomic<bool>&, bool);
template MultinomialFit fit_multinomial(const FeatureMatrix<const double*>&, const MultinomialTargets&, const double*,
                                        const double*, const SolverOptions&, const std::atomic<bool>&, bool);

}  // namespace setwise
