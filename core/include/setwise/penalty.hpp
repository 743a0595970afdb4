// The elastic net on one coordinate: strength * (l1_ratio |v| + (1 - l1_ratio) v^2). No 1/2 before the square.
#pragma once

#include <algorithm>
#include <cmath>

namespace setwise {

struct ElasticNet {
    double l1;  // strength * l1_ratio
    double l2;  // 2 * strength * (1 - l1_ratio): the curvature of the squared term

    ElasticNet(double strength, double l1_ratio) : l1(strength * l1_ratio), l2(2.0 * strength * (1.0 - l1_ratio)) {}

    double value(double v) const { return l1 * std::abs(v) + 0.5 * l2 * v * v; }

    // Distance of -gradient to the subdifferential at v; zero exactly at an optimum.
    double violation(double v, double gradient) const {
        const double smooth = gradient + l2 * v;
        if (v > 0.0) return std::abs(smooth + l1);
        if (v < 0.0) return std::abs(smooth - l1);
        return std::max(std::abs(smooth) - l1, 0.0);
    }

    // argmin over u of gradient * (u - v) + curvature / 2 * (u - v)^2 + value(u). Without curvature it is zero unless
    // the gradient outweighs the L1 part, and then there is no minimum and v stays.
    double minimiser(double v, double gradient, double curvature) const {
        if (curvature + l2 <= 0.0) return std::abs(gradient) < l1 ? 0.0 : v;
        const double pull = curvature * v - gradient;
        const double shrunk = std::copysign(std::max(std::abs(pull) - l1, 0.0), pull);
        return shrunk / (curvature + l2);
    }
};

}  // namespace setwise
