// Elastic-net multinomial logistic regression with soft targets.
//
// Over a weight vector w_k and an intercept b_k for each of K classes (intercepts are not penalised):
//
//     minimise  sum_i c_i [log sum_k e^{z_ik} - sum_k y_ik z_ik] + strength sum_k (l1_ratio |w_k|_1 + (1 - l1_ratio)
//     |w_k|_2^2)
//               z_ik = offset_ik + b_k + x_i . w_k,   sum_i c_i = 1,   sum_k y_ik = 1,   y_ik >= 0
//
// The objective does not change when all intercepts move alike; a fit returns those that sum to zero.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"

namespace setwise {

// Views; matrices are document by document, classes side by side.
struct MultinomialTargets {
    std::int32_t n_classes;
    const double* y;       // documents x classes, rows sum to one
    const double* weight;  // one per document, sums to one
    const double* offset;  // null, or documents x classes
};

struct MultinomialFit {
    std::vector<double> weights;  // the caller's columns x classes, dense
    std::vector<double> intercept;
    double violation = 0.0;
    double objective = 0.0;
    int n_iter = 0;
    std::vector<IterationRow> history;
};

// Starts from weights (the caller's columns x classes, dense) and intercepts. Uses of the options: strength, l1_ratio,
// tol[0], max_iter and the way a direction is solved; the Hessian is never formed, and one thread works. With `shifts`
// the classes of a feature move with a shift that all share, which takes far fewer sweeps; the optimum is the same.
template <class Values>
MultinomialFit fit_multinomial(const FeatureMatrix<Values>& features, const MultinomialTargets& targets,
                               const double* start_weights, const double* start_intercept, const SolverOptions& options,
                               const std::atomic<bool>& stop, bool shifts = true);

}  // namespace setwise
