// The vectorised exponential, logarithm and loss against long double and the standard library.
#include <limits>
#include <random>

#include "setwise/logistic.hpp"
#include "setwise/vector_math.hpp"
#include "test_main.hpp"

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Scores from -800 to 800, dense around zero, with both zeros and the places where the helpers change their ways.
std::vector<double> scores() {
    std::vector<double> z{0.0, -0.0, 1e-300, -1e-300, 1e-17, -1e-17, 0.881373587019543, -0.881373587019543};
    for (double limit : {707.9, 708.0, 708.1, 745.0, 746.0, 800.0}) z.insert(z.end(), {limit, -limit});
    std::mt19937_64 random(1);
    for (double reach : {1e-8, 1e-2, 1.0, 10.0, 40.0, 800.0}) {
        std::uniform_real_distribution<double> uniform(-reach, reach);
        for (int k = 0; k < 2000; ++k) z.push_back(uniform(random));
    }
    return z;
}

struct Exact {
    double loss, residual, curvature;
};

Exact exact(double z, double y) {
    const long double e = std::exp(-std::abs(static_cast<long double>(z)));
    const long double large = 1.0L / (1.0L + e), small = e * large;
    const long double p = z > 0 ? large : small;
    const long double loss =
        std::log1p(e) + std::max(static_cast<long double>(z), 0.0L) - static_cast<long double>(y) * z;
    return {static_cast<double>(loss), static_cast<double>(p - y), static_cast<double>(large * small)};
}

}  // namespace

TEST(exponential_is_exact_to_a_few_last_bits) {
    for (const double z : scores()) {
        const double x = -std::abs(z);
        const double expected = static_cast<double>(std::exp(static_cast<long double>(std::max(x, -708.0))));
        CHECK_NEAR(setwise::exp_of_negative(x), expected, 4 * kEpsilon * expected);
    }
    CHECK(setwise::exp_of_negative(0.0) == 1.0);
}

TEST(logarithm_is_exact_to_a_few_last_bits) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<double> arguments{0.0, 1.0, 1e-320, 1e-300, 1e-17, 0.41421356237309503, 0.41421356237309509, 0.5};
    for (int k = 0; k < 5000; ++k)
        arguments.insert(arguments.end(), {uniform(random), std::pow(uniform(random), 20.0)});
    for (const double e : arguments) {
        const double expected = std::log1p(e);
        CHECK_NEAR(setwise::log1p_of_unit(e), expected, 4 * kEpsilon * expected);
    }
}

TEST(loss_and_derivatives_of_one_document) {
    const double weight = 1.0;
    for (const double z : scores()) {
        for (const double y : {0.0, 1.0, 0.3}) {
            double residual = NAN, curvature = NAN;
            const double loss = setwise::loss_and_derivatives(1, &z, &y, &weight, &residual, &curvature);
            const Exact expected = exact(z, y);
            const double vanished = 1e-307;  // beyond |z| = 708 probabilities are held there
            CHECK_NEAR(loss, expected.loss, 4 * kEpsilon * std::max(1.0, std::abs(z)));
            CHECK_NEAR(curvature, expected.curvature, 8 * kEpsilon * expected.curvature + vanished);
            const double scale = y == 0.0 ? std::abs(expected.residual) : 1.0;  // p - y cancels where y is not zero
            CHECK_NEAR(residual, expected.residual, 8 * kEpsilon * scale + vanished);
            CHECK(loss >= -4 * kEpsilon * std::abs(z) && curvature >= 0.0);
        }
    }
}

TEST(small_losses_keep_their_relative_precision) {
    const double y = 0.0, weight = 1.0;
    for (double z = -1.0; z >= -700.0; z *= 1.1) {
        double residual = NAN, curvature = NAN;
        const double loss = setwise::loss_and_derivatives(1, &z, &y, &weight, &residual, &curvature);
        CHECK_NEAR(loss, exact(z, y).loss, 8 * kEpsilon * exact(z, y).loss);
    }
}

// Lengths around the width of a vector register: the last documents go through another loop.
TEST(any_number_of_documents_is_the_sum_of_each) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0.0, 3.0);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 1000}) {
        std::vector<double> z(n), direction(n), y(n), weight(n), residual(n), curvature(n), moved(n);
        for (int i = 0; i < n; ++i) {
            z[i] = normal(random);
            direction[i] = normal(random);
            y[i] = uniform(random);
            weight[i] = uniform(random) / n;
            moved[i] = z[i] - 0.25 * direction[i];
        }
        double expected = 0.0, expected_moved = 0.0;
        for (int i = 0; i < n; ++i) {
            expected += weight[i] * exact(z[i], y[i]).loss;
            expected_moved += weight[i] * exact(moved[i], y[i]).loss;
        }
        const double loss =
            setwise::loss_and_derivatives(n, z.data(), y.data(), weight.data(), residual.data(), curvature.data());
        CHECK_NEAR(loss, expected, 1e-14);
        CHECK_NEAR(setwise::mean_loss_along(n, z.data(), direction.data(), 0.0, y.data(), weight.data()), loss, 1e-14);
        CHECK_NEAR(setwise::mean_loss_along(n, z.data(), direction.data(), -0.25, y.data(), weight.data()),
                   expected_moved, 1e-14);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(residual[i], weight[i] * exact(z[i], y[i]).residual, 1e-15);
            CHECK_NEAR(curvature[i], weight[i] * exact(z[i], y[i]).curvature, 1e-15);
        }
    }
}
