// The multinomial solver on small random problems: every kind of values, odd numbers of classes, nothing out of bounds.
#include "random_problem.hpp"
#include "setwise/multinomial.hpp"
#include "test_main.hpp"

namespace {

using setwise::MultinomialFit;
using setwise::Ones;
using setwise_test::Kind;
using setwise_test::RandomProblem;

const std::atomic<bool> kGoOn{false};

// Documents x classes; rows sum to one.
std::vector<double> random_targets(std::int32_t n, std::int32_t n_classes) {
    std::mt19937_64 random(n * 100 + n_classes);
    std::exponential_distribution<double> mass;
    std::vector<double> y(static_cast<std::size_t>(n) * n_classes);
    for (std::int32_t i = 0; i < n; ++i) {
        double total = 0.0;
        for (std::int32_t k = 0; k < n_classes; ++k) total += y[i * n_classes + k] = mass(random);
        for (std::int32_t k = 0; k < n_classes; ++k) y[i * n_classes + k] /= total;
    }
    return y;
}

template <class Values>
MultinomialFit fit(RandomProblem& problem, std::int32_t n_classes, double l1_ratio, double tol,
                   const std::atomic<bool>& stop = kGoOn) {
    const auto y = random_targets(problem.n, n_classes);
    const std::vector<double> weights(static_cast<std::size_t>(problem.d) * n_classes, 0.0), intercept(n_classes, 0.0);
    const auto options = problem.options(0.01, l1_ratio, tol);
    const setwise::MultinomialTargets targets{n_classes, y.data(), problem.weight.data(), nullptr};
    return setwise::fit_multinomial(problem.features<Values>(), targets, weights.data(), intercept.data(), options,
                                    stop);
}

template <class Values>
void check_certificates(Kind kind) {
    for (const auto& [n, d] : {std::pair{30, 6}, {12, 25}, {1, 2}})
        for (const std::int32_t n_classes : {1, 2, 3, 8, 9}) {
            RandomProblem problem(n + d, n, d, 1, kind);
            for (const double l1_ratio : {0.0, 0.5, 1.0}) {
                const auto found = fit<Values>(problem, n_classes, l1_ratio, 1e-8);
                CHECK(found.violation <= 1e-8);
                CHECK(found.weights.size() == static_cast<std::size_t>(d) * n_classes);
                CHECK(found.intercept.size() == static_cast<std::size_t>(n_classes));
                for (std::size_t k = 1; k < found.history.size(); ++k)
                    CHECK(found.history[k].objective <= found.history[k - 1].objective + 1e-14);
            }
        }
}

}  // namespace

TEST(certificates_of_ones) {
    check_certificates<Ones>(Kind::ones);
}
TEST(certificates_of_single_values) {
    check_certificates<const float*>(Kind::single);
}
TEST(certificates_of_double_values) {
    check_certificates<const double*>(Kind::real);
}

TEST(no_columns_leave_the_frequencies) {
    RandomProblem problem(1, 20, 0, 1, Kind::real);
    const auto found = fit<const double*>(problem, 3, 0.5, 1e-10);
    CHECK(found.violation <= 1e-10);
    CHECK(found.weights.empty());
}

TEST(a_stop_that_is_already_asked_for_takes_no_step) {
    RandomProblem problem(2, 20, 5, 1, Kind::real);
    const std::atomic<bool> stop{true};
    CHECK(fit<const double*>(problem, 3, 0.5, 1e-10, stop).n_iter == 0);
}
