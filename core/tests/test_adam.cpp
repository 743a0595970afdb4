// Adam: the first step has the length of the rate whatever the gradient, and every step is that of the formula.
#include <cmath>
#include <vector>

#include "setwise/adam.hpp"
#include "test_main.hpp"

namespace {

setwise::AdamRule rule_of_step(int t) {
    return {0.9, 0.999, 0.1 / (1.0 - std::pow(0.9, t)), 1.0 / std::sqrt(1.0 - std::pow(0.999, t)), 1e-8};
}

template <class Real>
void check_steps(double tolerance) {
    constexpr int kSize = 37;  // no multiple of a vector's length
    std::vector<Real> parameter(kSize, Real(1)), mean(kSize), square(kSize), gradient(kSize);
    std::vector<double> x(kSize, 1.0), m(kSize), v(kSize);
    for (int t = 1; t <= 5; ++t) {
        for (int i = 0; i < kSize; ++i) gradient[i] = static_cast<Real>(std::sin(i + 3.0 * t));
        setwise::adam_step<Real>(kSize, rule_of_step(t), gradient.data(), parameter.data(), mean.data(), square.data());
        for (int i = 0; i < kSize; ++i) {
            const double g = gradient[i];
            m[i] = 0.9 * m[i] + 0.1 * g;
            v[i] = 0.999 * v[i] + 0.001 * g * g;
            x[i] -= 0.1 * (m[i] / (1.0 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1.0 - std::pow(0.999, t))) + 1e-8);
            CHECK_NEAR(parameter[i], x[i], tolerance);
        }
    }
}

TEST(steps_are_those_of_the_formula_in_double_precision) {
    check_steps<double>(1e-12);
}
TEST(steps_are_those_of_the_formula_in_single_precision) {
    check_steps<float>(1e-5);
}

TEST(a_gradient_of_zero_moves_nothing) {
    std::vector<float> parameter{2.0F}, mean{0.0F}, square{0.0F};
    const std::vector<float> gradient{0.0F};
    setwise::adam_step<float>(1, rule_of_step(1), gradient.data(), parameter.data(), mean.data(), square.data());
    CHECK(parameter[0] == 2.0F);
}

}  // namespace
