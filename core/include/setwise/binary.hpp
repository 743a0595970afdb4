// Elastic-net regression of many labels over one matrix of features.
//
// For each label, over w and b (b is not penalised):
//
//     minimise  sum_i c_i loss(z_i; y_i) + strength (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2)
//               z_i = offset_i + b + x_i . w,   sum_i c_i = 1
//
//     logistic        log(1 + e^z) - y z       y in [0, 1]
//     squared hinge   max(0, 1 - t z)^2        t = 2 y - 1,  y in {0, 1}
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/losses.hpp"
#include "setwise/matrix.hpp"

namespace setwise {

// The features, by columns and by rows: sweeps read columns, Hessians are formed from rows. Columns come most frequent
// first and none is empty.
template <class Values>
struct FeatureMatrix {
    Columns<Values> columns;
    Columns<Values> rows;              // the transpose: "column" i is document i
    const double* column_peak;         // largest absolute value of each column
    const std::int32_t* caller_order;  // the caller's p-th column is column caller_order[p] here
};

// What is given of the labels; views that outlive the fit.
struct BinaryTargets {
    Columns<const double*> y;    // documents x labels, the non-zero targets
    const double* weight;        // one per document, sums to one
    const double* offset;        // null, or one value per document for each label
    std::int64_t offset_stride;  // from one label's offsets to the next; 0 when all labels share them
    // Null, or how many of the caller's columns each label may use: the first so many. No start lies beyond them.
    const std::int32_t* column_limit = nullptr;
    LossKind loss = LossKind::logistic;
};

// Where each label starts: sparse weights by label with the caller's column numbers, and intercepts.
struct BinaryStart {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const double* values;
    const double* intercept;
};

struct SolverOptions {
    double strength = 1e-3;
    std::vector<double> path;  // strengths to fit before, falling; each fit starts where the one before ended
    double l1_ratio = 1.0;
    // Without an L1 part no weight is zero but by chance: the weights of each strength may go here, labels x features
    // in the caller's order, and not into the fits.
    std::vector<double*> dense;
    const double* tol = nullptr;              // largest optimality violation allowed, one per label
    const double* strength_factor = nullptr;  // null, or what each label multiplies every strength by
    int max_iter = 200;                       // Newton iterations a label
    int n_threads = 1;
    int first_iteration = 0;  // how many iterations the start has behind it

    double strength_of(double shared, std::int32_t label) const {
        return strength_factor == nullptr ? shared : strength_factor[label] * shared;
    }

    // How, not what: these change the time of a fit, never its optimum.
    double inner_ratio = 0.05;         // a direction is solved to this share of the violation it starts from
    int max_sweeps = 1000;             // coordinate-descent sweeps, or conjugate-gradient rounds, a direction
    double least_target = 0.25;        // and never below this share of the tolerance
    double far = 10.0;                 // a violation above this multiple of the strength is far from the optimum:
    double far_inner_ratio = 0.5;      // there the quadratic says little, and a direction is solved only so well
    int far_sweeps = 3;                // and in so many sweeps,
    int far_iterations = 15;           // in the first so many iterations
    double least_growth = 50;          // features that may join the working set an iteration, at least
    double growth = 0.25;              // and as a multiple of the current non-zeros
    int gram_limit = 3000;             // largest working set whose Hessian is formed
    double gram_patience = 0.2;        // cost of sweeps over the features before the Hessian is formed, in its cost
    double pair_cost = 3.0;            // of adding a pair of entries to the Hessian, in entries read
    double typical_rounds = 25.0;      // of conjugate gradients, to compare their cost with the Hessian's
    int max_rounds = 50;               // of conjugate gradients, before sweeps or the Hessian are taken instead
    double sweeps_between = 4.0;       // sweeps between two such runs, in readings of the working set
    int patient_sweeps = 300;          // sweeps near the optimum before the system of the non-zeros is solved exactly,
    int exact_limit = 300;             // where the working set is no larger than this,
    int max_exact = 1 << 30;           // and so many times a direction
    double curvature_left_out = 0.03;  // share of the curvature whose documents enter only the Hessian's diagonal
    double max_move = 4.0;             // largest change of a score by one coordinate of one direction
    double rough = 1.0;                // both end once the violation is below this multiple of the strength,
    int rough_iterations = 30;         // or after so many iterations: the problem is then a hard one
    int trail_length = 4;              // solutions of a path that tell where the next lies, where there is no L1 part
    double trail_target = 0.5;         // share of the tolerance to which a direction is then solved
    double armijo = 0.01;              // share of the predicted decrease that a step must reach
    int max_halvings = 40;             // of a step, before the fit is given up as stalled
};

struct IterationRow {
    std::int32_t label;
    std::int32_t iteration;
    std::int32_t n_nonzero;
    double objective;
    double violation;
    double step;  // what was taken of the direction that led here; 0 at the start
};

struct BinaryFit {
    std::vector<std::int32_t> indices;  // the caller's columns, rising
    std::vector<double> values;
    double intercept = 0.0;
    double violation = 0.0;
    double objective = 0.0;
    int n_iter = 0;
    std::vector<IterationRow> history;
};

// The model without features: its best intercept, and the largest gradient of a feature there. At or above that (over
// l1_ratio) a strength leaves every weight at zero.
struct NullModel {
    double intercept;
    double peak;
};

// One a label. No label may be constant: its intercept would be infinite.
template <class Values>
std::vector<NullModel> null_models(const FeatureMatrix<Values>& features, const BinaryTargets& targets, int n_threads,
                                   const std::atomic<bool>& stop);

// Fits every label: path.size() + 1 fits a label, one after the other. A label's bits do not depend on the number of
// threads. `stop` is read often: once it is true the call returns soon, with what it has.
template <class Values>
std::vector<BinaryFit> fit_binary(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop);

}  // namespace setwise
