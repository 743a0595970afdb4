// The losses of a binary fit. The solvers are templates over a loss: a type with the static members
//
//     mean_along              weighted mean loss at z + step * direction
//     mean_and_derivatives    weighted mean loss at z, with c_i loss'(z_i) and c_i loss''(z_i) for each document i
//     null_intercept          best intercept without features or offsets, given the weights of the ones and the zeros
//     kHasFlatPart            whether documents may have neither slope nor curvature: directions then leave them out
//
// A new loss is one such type, one name, and one line of with_loss().
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "setwise/logistic.hpp"
#include "setwise/squared_hinge.hpp"

namespace setwise {

struct LogisticLoss {
    static constexpr std::string_view kName = "logistic";
    static constexpr bool kHasFlatPart = false;

    static double mean_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                             const double* weight) {
        return mean_loss_along(n, z, direction, step, y, weight);
    }
    static double mean_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight,
                                       double* residual, double* curvature) {
        return loss_and_derivatives(n, z, y, weight, residual, curvature);
    }
    static double null_intercept(double ones, double zeros) { return std::log(ones) - std::log(zeros); }
};

struct SquaredHinge {
    static constexpr std::string_view kName = "squared_hinge";
    static constexpr bool kHasFlatPart = true;

    static double mean_along(std::int32_t n, const double* z, const double* direction, double step, const double* y,
                             const double* weight) {
        return mean_squared_hinge_along(n, z, direction, step, y, weight);
    }
    static double mean_and_derivatives(std::int32_t n, const double* z, const double* y, const double* weight,
                                       double* residual, double* curvature) {
        return squared_hinge_and_derivatives(n, z, y, weight, residual, curvature);
    }
    static double null_intercept(double ones, double zeros) { return (ones - zeros) / (ones + zeros); }
};

enum class LossKind { logistic, squared_hinge };

inline LossKind loss_named(std::string_view name) {
    if (name == LogisticLoss::kName) return LossKind::logistic;
    if (name == SquaredHinge::kName) return LossKind::squared_hinge;
    throw std::invalid_argument("unknown loss '" + std::string(name) + "'");
}

// Calls call(loss) with an object of the loss's type.
template <class Call>
auto with_loss(LossKind kind, Call call) {
    if (kind == LossKind::squared_hinge) return call(SquaredHinge{});
    return call(LogisticLoss{});
}

}  // namespace setwise
