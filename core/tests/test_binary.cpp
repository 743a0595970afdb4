// The binary solver on small random problems: every kind of values, every way through the solver.
#include "random_problem.hpp"
#include "setwise/binary.hpp"
#include "test_main.hpp"

namespace {

using setwise::BinaryFit;
using setwise::Ones;
using setwise::SolverOptions;
using setwise_test::Kind;
using setwise_test::RandomProblem;

const std::atomic<bool> kGoOn{false};

template <class Values>
std::vector<BinaryFit> fit(const RandomProblem& problem, const SolverOptions& options,
                           const std::atomic<bool>& stop = kGoOn) {
    return setwise::fit_binary(problem.features<Values>(), problem.targets(), problem.start(), options, stop);
}

bool same_bits(const BinaryFit& a, const BinaryFit& b) {
    bool same = a.indices == b.indices && a.values == b.values && a.intercept == b.intercept &&
                a.violation == b.violation && a.objective == b.objective && a.n_iter == b.n_iter &&
                a.history.size() == b.history.size();
    for (std::size_t k = 0; same && k < a.history.size(); ++k)
        same = a.history[k].objective == b.history[k].objective && a.history[k].violation == b.history[k].violation &&
               a.history[k].step == b.history[k].step && a.history[k].n_nonzero == b.history[k].n_nonzero;
    return same;
}

template <class Values>
void check_certificates(Kind kind) {
    for (const auto& [n, d] : {std::pair{40, 8}, {30, 60}, {5, 3}}) {
        RandomProblem problem(n + d, n, d, 3, kind);
        for (const double l1_ratio : {0.0, 0.1, 0.5, 1.0})
            for (const double strength : {0.1, 0.01})
                for (const double tol : {1e-3, 1e-6, 1e-9}) {
                    const auto fits = fit<Values>(problem, problem.options(strength, l1_ratio, tol));
                    CHECK(fits.size() == 3);
                    for (std::int32_t label = 0; label < 3; ++label) {
                        const auto expected = problem.certify(fits[label], label, strength, l1_ratio);
                        CHECK(fits[label].violation <= tol);
                        CHECK_NEAR(fits[label].violation, expected.violation, 1e-14);
                        CHECK_NEAR(fits[label].objective, expected.objective, 1e-14);
                        CHECK(std::is_sorted(fits[label].indices.begin(), fits[label].indices.end()));
                        CHECK(std::count(fits[label].values.begin(), fits[label].values.end(), 0.0) == 0);
                    }
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

TEST(the_kind_of_values_does_not_change_what_they_mean) {
    RandomProblem ones(1, 40, 12, 2, Kind::ones), single(2, 40, 12, 2, Kind::single);
    for (const double l1_ratio : {0.0, 0.5, 1.0})
        for (std::int32_t label = 0; label < 2; ++label) {
            const auto a = ones.options(0.01, l1_ratio, 1e-10), b = single.options(0.01, l1_ratio, 1e-10);
            CHECK(same_bits(fit<Ones>(ones, a)[label], fit<const double*>(ones, a)[label]));
            CHECK(same_bits(fit<const float*>(single, b)[label], fit<const double*>(single, b)[label]));
        }
}

TEST(two_threads_have_the_bits_of_one) {
    RandomProblem problem(3, 60, 40, 9, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        auto options = problem.options(0.003, l1_ratio, 1e-9);
        const auto one = fit<const double*>(problem, options);
        options.n_threads = 2;
        const auto two = fit<const double*>(problem, options);
        for (std::int32_t label = 0; label < 9; ++label) CHECK(same_bits(one[label], two[label]));
    }
}

// Features swept one by one, the Hessian always formed, conjugate gradients, exact systems, documents of little
// curvature left out or not: one optimum.
TEST(every_way_through_the_solver_reaches_the_same_optimum) {
    for (const auto& [n, d] : {std::pair{80, 30}, {30, 90}}) {
        RandomProblem problem(n, n, d, 3, Kind::real);
        for (const double l1_ratio : {0.1, 0.5, 1.0}) {
            const double strength = 0.002, tol = 1e-9;
            std::vector<std::vector<BinaryFit>> ways;
            const auto base = problem.options(strength, l1_ratio, tol);
            ways.push_back(fit<const double*>(problem, base));
            auto features_alone = base;
            features_alone.gram_limit = 0;
            ways.push_back(fit<const double*>(problem, features_alone));
            auto hessian_always = base;
            hessian_always.gram_patience = 0.0;
            ways.push_back(fit<const double*>(problem, hessian_always));
            auto whole_hessian = hessian_always;
            whole_hessian.curvature_left_out = 0.0;
            ways.push_back(fit<const double*>(problem, whole_hessian));
            auto few_join = base;
            few_join.least_growth = 1.0;
            few_join.growth = 0.0;
            ways.push_back(fit<const double*>(problem, few_join));
            auto never_far = base;
            never_far.far = INFINITY;
            ways.push_back(fit<const double*>(problem, never_far));
            auto conjugates_always = base;
            conjugates_always.typical_rounds = 0.0;
            ways.push_back(fit<const double*>(problem, conjugates_always));
            auto conjugates_never = base;
            conjugates_never.typical_rounds = INFINITY;
            ways.push_back(fit<const double*>(problem, conjugates_never));
            auto exact_soon = base;
            exact_soon.patient_sweeps = 1;
            ways.push_back(fit<const double*>(problem, exact_soon));
            auto exact_never = base;
            exact_never.exact_limit = 0;
            ways.push_back(fit<const double*>(problem, exact_never));
            auto short_steps = base;
            short_steps.max_move = 0.5;
            ways.push_back(fit<const double*>(problem, short_steps));
            for (const auto& fits : ways)
                for (std::int32_t label = 0; label < 3; ++label) {
                    CHECK(fits[label].violation <= tol);
                    CHECK_NEAR(fits[label].objective, ways[0][label].objective, 1e-8);
                    CHECK_NEAR(problem.certify(fits[label], label, strength, l1_ratio).violation, fits[label].violation,
                               1e-14);
                }
        }
    }
}

TEST(the_objective_never_rises) {
    RandomProblem problem(4, 50, 40, 6, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0})
        for (const auto& fitted : fit<const double*>(problem, problem.options(0.001, l1_ratio, 1e-9)))
            for (std::size_t k = 1; k < fitted.history.size(); ++k) {
                CHECK(fitted.history[k].objective <= fitted.history[k - 1].objective + 1e-14);
                CHECK(fitted.history[k].iteration == static_cast<std::int32_t>(k));
                CHECK(fitted.history[k].step > 0.0 && fitted.history[k].step <= 1.0);
            }
}

TEST(no_columns_leave_the_intercept) {
    RandomProblem problem(5, 20, 0, 3, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        const auto fits = fit<const double*>(problem, problem.options(0.1, l1_ratio, 1e-10));
        for (std::int32_t label = 0; label < 3; ++label) {
            CHECK(fits[label].indices.empty());
            CHECK(fits[label].violation <= 1e-10);
            CHECK_NEAR(problem.certify(fits[label], label, 0.1, l1_ratio).violation, fits[label].violation, 1e-15);
        }
        CHECK(fit<Ones>(problem, problem.options(0.1, l1_ratio, 1e-10)).size() == 3);
    }
}

TEST(one_document_and_no_labels) {
    RandomProblem one(6, 1, 4, 2, Kind::real, 1.0);
    for (const double l1_ratio : {0.0, 0.5, 1.0})
        for (const auto& fitted : fit<const double*>(one, one.options(0.01, l1_ratio, 1e-9)))
            CHECK(fitted.violation <= 1e-9);
    RandomProblem none(7, 10, 4, 0, Kind::real);
    CHECK(fit<const double*>(none, none.options(0.01, 1.0, 1e-9)).empty());
}

TEST(models_without_features_have_no_slope_and_the_right_peak) {
    RandomProblem problem(8, 40, 10, 6, Kind::real);
    problem.offset[3] = 30.0;  // far offsets make Newton's method alone overshoot
    problem.offset[44] = -30.0;
    const auto models = setwise::null_models(problem.features<const double*>(), problem.targets(), 2, kGoOn);
    CHECK(models.size() == 6);
    for (std::int32_t label = 0; label < 6; ++label) {
        BinaryFit null;
        null.intercept = models[label].intercept;
        CHECK_NEAR(problem.certify(null, label, 1e6, 1.0).violation, 0.0, 1e-14);  // the intercept's alone
        CHECK_NEAR(problem.certify(null, label, 0.0, 1.0).violation, models[label].peak, 1e-14);
    }
}

TEST(at_the_peak_all_weights_are_zero_and_just_below_not) {
    RandomProblem problem(9, 40, 10, 1, Kind::real);
    const auto model = setwise::null_models(problem.features<const double*>(), problem.targets(), 1, kGoOn)[0];
    problem.start_intercept = {model.intercept};
    for (const double l1_ratio : {0.1, 1.0}) {
        const double critical = model.peak / l1_ratio;
        CHECK(fit<const double*>(problem, problem.options(critical * (1 + 1e-12), l1_ratio, 1e-9))[0].indices.empty());
        CHECK(!fit<const double*>(problem, problem.options(0.99 * critical, l1_ratio, 1e-9))[0].indices.empty());
    }
}

TEST(a_start_at_the_solution_takes_no_iteration) {
    RandomProblem problem(10, 50, 20, 3, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        const auto options = problem.options(0.01, l1_ratio, 1e-9);
        const auto cold = fit<const double*>(problem, options);
        RandomProblem warm = problem;
        warm.start_indptr = {0};
        for (std::int32_t label = 0; label < 3; ++label) {
            const auto& from = cold[label];
            warm.start_indices.insert(warm.start_indices.end(), from.indices.begin(), from.indices.end());
            warm.start_values.insert(warm.start_values.end(), from.values.begin(), from.values.end());
            warm.start_indptr.push_back(static_cast<std::int64_t>(warm.start_indices.size()));
            warm.start_intercept[label] = from.intercept;
        }
        const auto again = fit<const double*>(warm, options);
        for (std::int32_t label = 0; label < 3; ++label) {
            CHECK(again[label].n_iter == 0);
            CHECK(again[label].values == cold[label].values);
            CHECK(again[label].indices == cold[label].indices);
            CHECK(again[label].violation == cold[label].violation);
        }
    }
}

TEST(single_iterations_take_the_steps_of_a_long_fit) {
    RandomProblem problem(11, 50, 20, 1, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        auto options = problem.options(0.003, l1_ratio, 1e-10);
        const auto whole = fit<const double*>(problem, options)[0];
        options.max_iter = 1;
        RandomProblem walking = problem;
        BinaryFit last;
        for (int iteration = 0; iteration < whole.n_iter; ++iteration) {
            last = fit<const double*>(walking, options)[0];
            walking.start_indptr = {0, static_cast<std::int64_t>(last.indices.size())};
            walking.start_indices = last.indices;
            walking.start_values = last.values;
            walking.start_intercept = {last.intercept};
        }
        CHECK(last.values == whole.values && last.indices == whole.indices);
        CHECK(last.intercept == whole.intercept && last.violation == whole.violation);
    }
}

TEST(a_path_ends_at_the_cold_fit) {
    RandomProblem problem(12, 50, 20, 4, Kind::real);
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        auto options = problem.options(0.002, l1_ratio, 1e-10);
        const auto cold = fit<const double*>(problem, options);
        const std::vector<double> strengths{0.1, 0.03, 0.01, 0.002};
        options.path.assign(strengths.begin(), strengths.end() - 1);
        options.n_threads = 2;
        const auto fits = fit<const double*>(problem, options);
        CHECK(fits.size() == 4 * strengths.size());
        for (std::size_t k = 0; k < fits.size(); ++k) {
            const auto label = static_cast<std::int32_t>(k / strengths.size());
            const double strength = strengths[k % strengths.size()];
            CHECK(fits[k].violation <= 1e-10);
            CHECK_NEAR(problem.certify(fits[k], label, strength, l1_ratio).violation, fits[k].violation, 1e-14);
            if (strength == 0.002) CHECK_NEAR(fits[k].objective, cold[label].objective, 1e-12);
        }
    }
}

TEST(strengths_at_any_distance_make_a_path) {
    RandomProblem problem(15, 50, 20, 3, Kind::real);
    auto options = problem.options(1e-5, 0.0, 1e-9);
    const double close = std::nextafter(0.1, 0.0);
    options.path = {1e6, 0.3, 0.1, close, close, 0.0999, 1e-3, 2e-5};
    const auto fits = fit<const double*>(problem, options);
    const std::size_t n_strengths = options.path.size() + 1;
    for (std::size_t k = 0; k < fits.size(); ++k) {
        const std::size_t s = k % n_strengths;
        const double strength = s < options.path.size() ? options.path[s] : options.strength;
        const auto label = static_cast<std::int32_t>(k / n_strengths);
        CHECK(fits[k].violation <= 1e-9);
        CHECK_NEAR(problem.certify(fits[k], label, strength, 0.0).violation, fits[k].violation, 1e-14);
    }
}

TEST(a_path_depends_on_no_label_fitted_before) {
    RandomProblem problem(18, 50, 20, 4, Kind::real);
    auto options = problem.options(1e-3, 0.0, 1e-6);
    options.path = {1e9, 1e8, 1e-2, 3e-3};  // the first need no iteration
    const auto together = fit<const double*>(problem, options);
    options.n_threads = 4;
    const auto apart = fit<const double*>(problem, options);
    for (std::size_t k = 0; k < together.size(); ++k) CHECK(same_bits(together[k], apart[k]));
}

TEST(a_path_without_iterations_is_certified_all_the_same) {
    RandomProblem problem(16, 50, 20, 1, Kind::real);
    auto options = problem.options(0.05, 0.0, 1e-9);
    options.path = {0.1, 0.07, 0.06};
    options.max_iter = 0;
    const auto fits = fit<const double*>(problem, options);
    const std::vector<double> strengths{0.1, 0.07, 0.06, 0.05};
    for (std::size_t s = 0; s < strengths.size(); ++s)
        CHECK_NEAR(problem.certify(fits[s], 0, strengths[s], 0.0).violation, fits[s].violation, 1e-14);
}

TEST(dense_weights_are_those_of_the_fits) {
    RandomProblem problem(17, 40, 12, 3, Kind::real);
    auto options = problem.options(0.01, 0.0, 1e-9);
    options.path = {0.1};
    const auto fits = fit<const double*>(problem, options);
    std::vector<double> strong(3 * 12), weak(3 * 12);
    options.dense = {strong.data(), weak.data()};
    options.n_threads = 2;
    const auto bare = fit<const double*>(problem, options);
    for (std::size_t k = 0; k < fits.size(); ++k) {
        const double* weights = (k % 2 == 0 ? strong : weak).data() + k / 2 * 12;
        std::vector<double> expected(12);
        for (std::size_t e = 0; e < fits[k].indices.size(); ++e) expected[fits[k].indices[e]] = fits[k].values[e];
        CHECK(std::equal(expected.begin(), expected.end(), weights));
        CHECK(bare[k].indices.empty() && bare[k].values.empty() && bare[k].intercept == fits[k].intercept);
    }
}

TEST(no_iterations_return_the_start) {
    RandomProblem problem(13, 30, 10, 2, Kind::real);
    auto options = problem.options(0.01, 1.0, 1e-9);
    options.max_iter = 0;
    for (const auto& fitted : fit<const double*>(problem, options)) {
        CHECK(fitted.n_iter == 0 && fitted.indices.empty() && fitted.intercept == 0.0);
        CHECK(fitted.history.size() == 1 && fitted.history[0].step == 0.0);
    }
}

TEST(a_stop_that_is_already_asked_for_returns_at_once) {
    RandomProblem problem(14, 30, 10, 5, Kind::real);
    const std::atomic<bool> stop{true};
    for (const double l1_ratio : {0.0, 1.0})
        for (const auto& fitted : fit<const double*>(problem, problem.options(1e-4, l1_ratio, 1e-9), stop)) {
            CHECK(fitted.n_iter == 0 && fitted.indices.empty());
            CHECK(fitted.history.empty());  // not even looked at: thousands of labels would take seconds
        }
    CHECK(setwise::null_models(problem.features<const double*>(), problem.targets(), 1, stop).size() == 5);
}

TEST(a_label_uses_no_column_beyond_its_limit) {
    for (const double l1_ratio : {0.0, 0.5, 1.0}) {
        RandomProblem problem(15, 40, 12, 3, Kind::real);
        const auto options = problem.options(0.003, l1_ratio, 1e-9);
        const std::vector<std::int32_t> limits{12, 0, 5};
        auto targets = problem.targets();
        targets.column_limit = limits.data();
        const auto features = problem.features<const double*>();
        const auto fits = setwise::fit_binary(features, targets, problem.start(), options, kGoOn);
        const auto models = setwise::null_models(features, targets, 2, kGoOn);
        CHECK(same_bits(fits[0], fit<const double*>(problem, options)[0]));
        CHECK(fits[1].indices.empty() && models[1].peak == 0.0);
        CHECK(!fits[2].indices.empty() && fits[2].indices.back() < 5);
        // The caller's columns come in the opposite order: empty those beyond the limit, and the certificate holds.
        for (std::int32_t j = 0; j < 7; ++j) std::fill(problem.X[j].begin(), problem.X[j].end(), 0.0);
        CHECK(fits[2].violation <= 1e-9);
        CHECK_NEAR(problem.certify(fits[2], 2, 0.003, l1_ratio).violation, fits[2].violation, 1e-14);
    }
}

TEST(a_path_without_l1_keeps_to_the_limits) {
    RandomProblem problem(19, 40, 12, 4, Kind::real);
    auto options = problem.options(0.003, 0.0, 1e-9);
    options.path = {0.1, 0.05, 0.03, 0.01, 0.005};
    const std::vector<std::int32_t> limits{12, 5, 0, 9};  // no label sees what the one before left behind
    auto targets = problem.targets();
    targets.column_limit = limits.data();
    const auto features = problem.features<const double*>();
    const auto fits = setwise::fit_binary(features, targets, problem.start(), options, kGoOn);
    options.n_threads = 4;
    const auto apart = setwise::fit_binary(features, targets, problem.start(), options, kGoOn);
    const std::size_t n_strengths = options.path.size() + 1;
    std::vector<std::vector<double>> dense(n_strengths, std::vector<double>(4 * 12, NAN));
    for (auto& weights : dense) options.dense.push_back(weights.data());
    setwise::fit_binary(features, targets, problem.start(), options, kGoOn);
    for (std::size_t k = 0; k < fits.size(); ++k) {
        const std::size_t label = k / n_strengths, s = k % n_strengths;
        CHECK(same_bits(fits[k], apart[k]));
        CHECK(fits[k].violation <= 1e-9);
        std::vector<double> expected(12);
        for (std::size_t e = 0; e < fits[k].indices.size(); ++e) {
            CHECK(fits[k].indices[e] < limits[label]);
            expected[fits[k].indices[e]] = fits[k].values[e];
        }
        CHECK(std::equal(expected.begin(), expected.end(), dense[s].data() + label * 12));
    }
}
