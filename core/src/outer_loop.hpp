// What the outer iterations of both learners share: who joins the working set, and how far to step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "setwise/binary.hpp"

namespace setwise {

// How well to solve for a direction.
struct Effort {
    double target;  // largest violation of the quadratic's own optimum
    int max_sweeps;
    double left_out;  // share of the curvature that the Hessian may leave out
    double max_move;  // largest change of a score by one coordinate
};

inline Effort choose_effort(double violation, double strength, double tol, int iteration,
                            const SolverOptions& options) {
    const double near = std::max(strength, tol);
    const int since_start = options.first_iteration + iteration;
    const bool is_far = violation > options.far * near && since_start < options.far_iterations;
    const double ratio = is_far ? options.far_inner_ratio : options.inner_ratio;
    // What keeps the first directions cheap and sane would only slow the last: narrow valleys need long moves that
    // cancel.
    const bool is_rough = violation > options.rough * near && since_start < options.rough_iterations;
    return {std::max(ratio * violation, options.least_target * tol), is_far ? options.far_sweeps : options.max_sweeps,
            is_rough ? options.curvature_left_out : 0.0,
            is_rough ? options.max_move : std::numeric_limits<double>::infinity()};
}

// For a second try where no step along the first direction helped: long moves through flat valleys can lead astray.
inline Effort kept_short(Effort effort, const SolverOptions& options) {
    effort.left_out = options.curvature_left_out;
    effort.max_move = options.max_move;
    return effort;
}

// The active features and the zeros that violate their condition most, rising. Few join at a time: the first gradients
// of a weak penalty call for many more features than the solution keeps. `joining` holds (-violation, feature).
inline void choose_working_set(const std::vector<std::int32_t>& active,
                               std::vector<std::pair<double, std::int32_t>>& joining, const SolverOptions& options,
                               std::vector<std::int32_t>& working_set) {
    const auto room =
        static_cast<std::size_t>(std::max(options.least_growth, options.growth * static_cast<double>(active.size())));
    if (joining.size() > room) {
        std::nth_element(joining.begin(), joining.begin() + static_cast<std::ptrdiff_t>(room), joining.end());
        joining.resize(room);
    }
    working_set = active;
    for (const auto& [violation, feature] : joining) working_set.push_back(feature);
    std::sort(working_set.begin(), working_set.end());
}

// Halves the step until the objective falls by a share of what the direction promises; 0 if it never does. Near the
// optimum the decrease drowns in rounding: a step that changes nothing measurable is taken.
template <class ObjectiveAt>
double search_line(double objective, double promised, const SolverOptions& options, ObjectiveAt objective_at) {
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(objective);
    double share = 1.0;
    for (int halving = 0; halving <= options.max_halvings; ++halving, share *= 0.5)
        if (objective_at(share) <= objective + options.armijo * share * promised + rounding) return share;
    return 0.0;
}

}  // namespace setwise
