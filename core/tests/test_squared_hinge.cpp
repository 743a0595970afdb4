// The squared hinge: its values and derivatives against plain formulas, and the solvers with it.
#include "random_problem.hpp"
#include "setwise/binary.hpp"
#include "setwise/squared_hinge.hpp"
#include "test_main.hpp"

namespace {

using setwise::BinaryFit;
using setwise::LossKind;
using setwise::Ones;
using setwise::SolverOptions;
using setwise_test::Kind;
using setwise_test::RandomProblem;

const std::atomic<bool> kGoOn{false};

RandomProblem hinge_problem(int seed, std::int32_t n, std::int32_t d, std::int32_t n_labels, Kind kind) {
    return RandomProblem(seed, n, d, n_labels, kind, 0.4, LossKind::squared_hinge);
}

template <class Values>
std::vector<BinaryFit> fit(const RandomProblem& problem, const SolverOptions& options) {
    return setwise::fit_binary(problem.features<Values>(), problem.targets(), problem.start(), options, kGoOn);
}

template <class Values>
void check_certificates(Kind kind) {
    for (const auto& [n, d] : {std::pair{40, 8}, {30, 60}, {5, 3}, {2, 1}}) {
        RandomProblem problem = hinge_problem(n + d, n, d, 2, kind);
        for (const double l1_ratio : {0.0, 0.1, 0.5, 1.0})
            for (const double strength : {0.1, 0.01, 1e-4})
                for (const double tol : {1e-3, 1e-9}) {
                    const auto fits = fit<Values>(problem, problem.options(strength, l1_ratio, tol));
                    for (std::int32_t label = 0; label < 2; ++label) {
                        const auto expected = problem.certify(fits[label], label, strength, l1_ratio);
                        CHECK(fits[label].violation <= tol);
                        CHECK_NEAR(fits[label].violation, expected.violation, 1e-14);
                        CHECK_NEAR(fits[label].objective, expected.objective, 1e-14);
                    }
                }
    }
}

}  // namespace

TEST(values_and_derivatives_are_those_of_the_formula) {
    const std::vector<double> z{-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, -2.0, 1.0};
    const std::vector<double> y{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0};
    const std::vector<double> along{1.0, 0.5, 0.0, -0.5, 1.0, 2.0, -4.0, 1.0, -1.0};
    const std::vector<double> weight{0.1, 0.2, 0.05, 0.05, 0.1, 0.2, 0.1, 0.1, 0.1};
    const auto n = static_cast<std::int32_t>(z.size());
    std::vector<double> residual(n), curvature(n);
    const double loss =
        setwise::squared_hinge_and_derivatives(n, z.data(), y.data(), weight.data(), residual.data(), curvature.data());
    double expected = 0.0, expected_along = 0.0;
    for (std::int32_t i = 0; i < n; ++i) {
        const double sign = y[i] == 1.0 ? 1.0 : -1.0, gap = std::max(0.0, 1.0 - sign * z[i]);
        const double gap_along = std::max(0.0, 1.0 - sign * (z[i] + 0.25 * along[i]));
        expected += weight[i] * gap * gap;
        expected_along += weight[i] * gap_along * gap_along;
        CHECK_NEAR(residual[i], -2.0 * weight[i] * sign * gap, 1e-16);
        CHECK(curvature[i] == (gap > 0.0 ? 2.0 * weight[i] : 0.0));
    }
    CHECK_NEAR(loss, expected, 1e-15);
    CHECK_NEAR(setwise::mean_squared_hinge_along(n, z.data(), along.data(), 0.25, y.data(), weight.data()),
               expected_along, 1e-15);
}

TEST(certificates_of_ones) {
    check_certificates<Ones>(Kind::ones);
}
TEST(certificates_of_single_values) {
    check_certificates<const float*>(Kind::single);
}
TEST(certificates_of_double_values) {
    check_certificates<const double*>(Kind::real);
}

TEST(the_null_model_has_no_slope) {
    for (int seed = 0; seed < 20; ++seed) {
        const RandomProblem problem = hinge_problem(seed, 30, 4, 3, Kind::real);
        const auto models = setwise::null_models(problem.features<const double*>(), problem.targets(), 1, kGoOn);
        for (std::int32_t label = 0; label < 3; ++label) {
            BinaryFit null;
            null.intercept = models[label].intercept;
            // With a penalty at the peak, zero weights are optimal: what is left is the slope of the intercept.
            CHECK(problem.certify(null, label, models[label].peak * (1.0 + 1e-12), 1.0).violation <= 1e-14);
        }
    }
}

// Features swept one by one, the Hessian always formed, conjugate gradients: one optimum.
TEST(every_way_through_the_solver_reaches_the_same_optimum) {
    for (const auto& [n, d] : {std::pair{80, 30}, {30, 90}}) {
        RandomProblem problem = hinge_problem(n, n, d, 2, Kind::real);
        for (const double l1_ratio : {0.1, 1.0}) {
            const auto base = problem.options(0.002, l1_ratio, 1e-9);
            const auto expected = fit<const double*>(problem, base);
            auto features_alone = base, hessian_always = base, conjugates_always = base;
            features_alone.gram_limit = 0;
            hessian_always.gram_patience = 0.0;
            conjugates_always.typical_rounds = 0.0;
            for (const auto& options : {features_alone, hessian_always, conjugates_always}) {
                const auto found = fit<const double*>(problem, options);
                for (std::int32_t label = 0; label < 2; ++label) {
                    CHECK(found[label].violation <= 1e-9);
                    CHECK_NEAR(found[label].objective, expected[label].objective, 1e-10);
                }
            }
        }
    }
}

TEST(the_end_of_a_path_is_a_cold_fit) {
    RandomProblem problem = hinge_problem(7, 50, 30, 2, Kind::single);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        auto options = problem.options(0.001, l1_ratio, 1e-9);
        const auto cold = fit<const float*>(problem, options);
        options.path = {0.1, 0.01};
        const auto path = fit<const float*>(problem, options);
        for (std::int32_t label = 0; label < 2; ++label)
            CHECK_NEAR(path[label * 3 + 2].objective, cold[label].objective, 1e-10);
    }
}

TEST(a_start_without_any_curvature_shrinks_back) {
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        RandomProblem problem = hinge_problem(9, 12, 40, 1, Kind::real);
        problem.offset.assign(problem.offset.size(), 0.0);
        const auto options = problem.options(1e-4, l1_ratio, 1e-9);
        const auto cold = fit<const double*>(problem, options);
        problem.start_indices = cold[0].indices;
        problem.start_values = cold[0].values;
        for (double& value : problem.start_values) value *= 100.0;
        problem.start_intercept[0] = 100.0 * cold[0].intercept;
        problem.start_indptr[1] = static_cast<std::int64_t>(cold[0].indices.size());
        const auto warm = fit<const double*>(problem, options);
        CHECK(warm[0].violation <= 1e-9);
        CHECK_NEAR(warm[0].objective, cold[0].objective, 1e-10);
    }
}
