// Fits without an L1 part share passes over the features: here, that they share nothing else.
#include "random_problem.hpp"
#include "setwise/binary.hpp"
#include "test_main.hpp"

namespace {

using setwise::BinaryFit;
using setwise::LossKind;
using setwise::Ones;
using setwise::SolverOptions;
using setwise_test::Kind;
using setwise_test::RandomProblem;

const std::atomic<bool> kGoOn{false};
const LossKind kLosses[] = {LossKind::logistic, LossKind::squared_hinge};

template <class Values>
std::vector<BinaryFit> fit(const RandomProblem& problem, const SolverOptions& options,
                           const std::int32_t* limits = nullptr) {
    auto targets = problem.targets();
    targets.column_limit = limits;
    return setwise::fit_binary(problem.features<Values>(), targets, problem.start(), options, kGoOn);
}

// The problem with some of its labels alone.
RandomProblem only(const RandomProblem& whole, const std::vector<std::int32_t>& labels) {
    RandomProblem part = whole;
    part.n_labels = static_cast<std::int32_t>(labels.size());
    part.y_indptr = part.start_indptr = {0};
    for (auto* values : {&part.y_values, &part.offset, &part.start_values, &part.start_intercept}) values->clear();
    for (auto* indices : {&part.y_indices, &part.start_indices}) indices->clear();
    for (const std::int32_t label : labels) {
        for (std::int64_t e = whole.y_indptr[label]; e < whole.y_indptr[label + 1]; ++e) {
            part.y_indices.push_back(whole.y_indices[e]);
            part.y_values.push_back(whole.y_values[e]);
        }
        part.y_indptr.push_back(static_cast<std::int64_t>(part.y_indices.size()));
        for (std::int64_t e = whole.start_indptr[label]; e < whole.start_indptr[label + 1]; ++e) {
            part.start_indices.push_back(whole.start_indices[e]);
            part.start_values.push_back(whole.start_values[e]);
        }
        part.start_indptr.push_back(static_cast<std::int64_t>(part.start_indices.size()));
        part.start_intercept.push_back(whole.start_intercept[label]);
        for (std::int32_t i = 0; i < whole.n; ++i)
            part.offset.push_back(whole.offset[static_cast<std::size_t>(label) * whole.n + i]);
    }
    return part;
}

// Starts every label at `factor` times its fit.
void start_from(RandomProblem& problem, const std::vector<BinaryFit>& fits, const std::vector<double>& factor) {
    problem.start_indptr = {0};
    problem.start_indices.clear();
    problem.start_values.clear();
    for (std::int32_t label = 0; label < problem.n_labels; ++label) {
        for (std::size_t k = 0; k < fits[label].indices.size(); ++k) {
            problem.start_indices.push_back(fits[label].indices[k]);
            problem.start_values.push_back(factor[label] * fits[label].values[k]);
        }
        problem.start_indptr.push_back(static_cast<std::int64_t>(problem.start_indices.size()));
        problem.start_intercept[label] = factor[label] * fits[label].intercept;
    }
}

bool same_bits(const BinaryFit& a, const BinaryFit& b) {
    bool same = a.indices == b.indices && a.values == b.values && a.intercept == b.intercept &&
                a.violation == b.violation && a.objective == b.objective && a.n_iter == b.n_iter &&
                a.history.size() == b.history.size();
    for (std::size_t k = 0; same && k < a.history.size(); ++k)
        same = a.history[k].objective == b.history[k].objective && a.history[k].violation == b.history[k].violation &&
               a.history[k].step == b.history[k].step && a.history[k].n_nonzero == b.history[k].n_nonzero &&
               a.history[k].iteration == b.history[k].iteration;
    return same;
}

// Fits some labels alone and all together: every label of `chosen` must have the same bits.
template <class Values>
void check_company(const RandomProblem& problem, const SolverOptions& options,
                   const std::vector<std::int32_t>& chosen) {
    const std::size_t n_fits = options.path.size() + 1;
    const auto together = fit<Values>(problem, options);
    const auto apart = fit<Values>(only(problem, chosen), options);
    CHECK(apart.size() == chosen.size() * n_fits);
    for (std::size_t k = 0; k < apart.size(); ++k)
        CHECK(same_bits(apart[k], together[chosen[k / n_fits] * n_fits + k % n_fits]));
}

template <class Values>
void check_companies(Kind kind) {
    for (const LossKind loss : kLosses)
        for (const auto& [n, d] : {std::pair{60, 25}, {30, 70}}) {
            RandomProblem problem(n + d, n, d, 21, kind, 0.3, loss);
            auto options = problem.options(0.002, 0.0, 1e-9);
            options.path = {0.1, 0.02};
            for (std::int32_t label = 0; label < 21; ++label) check_company<Values>(problem, options, {label});
            check_company<Values>(problem, options, {20, 3, 7});
            check_company<Values>(problem, options, {5, 4, 3, 2, 1, 0, 19, 18, 17, 16, 15});
        }
}

}  // namespace

TEST(the_company_of_a_label_changes_no_bit_with_ones) {
    check_companies<Ones>(Kind::ones);
}
TEST(the_company_of_a_label_changes_no_bit_with_single_values) {
    check_companies<const float*>(Kind::single);
}
TEST(the_company_of_a_label_changes_no_bit_with_double_values) {
    check_companies<const double*>(Kind::real);
}

TEST(any_number_of_labels_and_threads_gives_certified_fits_of_the_same_bits) {
    for (const LossKind loss : kLosses)
        for (std::int32_t n_labels = 1; n_labels <= 19; ++n_labels) {
            RandomProblem problem(n_labels, 40, 20, n_labels, Kind::real, 0.4, loss);
            auto options = problem.options(0.003, 0.0, 1e-9);
            const auto fits = fit<const double*>(problem, options);
            for (const int n_threads : {2, 5}) {
                options.n_threads = n_threads;
                const auto shared = fit<const double*>(problem, options);
                for (std::int32_t label = 0; label < n_labels; ++label) CHECK(same_bits(shared[label], fits[label]));
            }
            for (std::int32_t label = 0; label < n_labels; ++label) {
                const auto expected = problem.certify(fits[label], label, 0.003, 0.0);
                CHECK(fits[label].violation <= 1e-9);
                CHECK_NEAR(fits[label].violation, expected.violation, 1e-14);
                CHECK_NEAR(fits[label].objective, expected.objective, 1e-14);
            }
        }
}

// Some labels take one iteration and others many: lanes empty, are filled again, and the passes become narrower.
TEST(labels_may_end_at_very_different_times) {
    for (const LossKind loss : kLosses) {
        RandomProblem problem(31, 50, 30, 20, Kind::real, 0.4, loss);
        auto options = problem.options(0.01, 0.0, 1e-10);
        std::vector<double> factor(20);
        for (std::int32_t label = 0; label < 20; ++label) {
            factor[label] = std::pow(10.0, label % 7 - 4);
            if (label % 3 == 0) problem.tol[label] = 0.1;
        }
        options.strength_factor = factor.data();
        const auto fits = fit<const double*>(problem, options);
        int fewest = options.max_iter, most = 0;
        for (std::int32_t label = 0; label < 20; ++label) {
            const double strength = 0.01 * factor[label];
            CHECK(fits[label].violation <= problem.tol[label]);
            CHECK_NEAR(problem.certify(fits[label], label, strength, 0.0).violation, fits[label].violation, 1e-14);
            fewest = std::min(fewest, fits[label].n_iter);
            most = std::max(most, fits[label].n_iter);
            RandomProblem alone = only(problem, {label});
            auto own = alone.options(strength, 0.0, problem.tol[label]);
            CHECK(same_bits(fit<const double*>(alone, own)[0], fits[label]));
        }
        CHECK(most >= fewest + 4);
    }
}

TEST(a_long_path_of_many_labels_ends_at_the_cold_fits) {
    for (const LossKind loss : kLosses) {
        RandomProblem problem(32, 60, 30, 13, Kind::single, 0.4, loss);
        auto options = problem.options(0.001, 0.0, 1e-10);
        const auto cold = fit<const float*>(problem, options);
        options.path = {0.3, 0.1, 0.03, 0.01, 0.005, 0.002};
        const auto path = fit<const float*>(problem, options);
        for (std::int32_t label = 0; label < 13; ++label) {
            CHECK_NEAR(path[label * 7 + 6].objective, cold[label].objective, 1e-11);
            for (int s = 0; s < 7; ++s) {
                const double strength = s < 6 ? options.path[s] : options.strength;
                const BinaryFit& one = path[label * 7 + s];
                CHECK(one.violation <= 1e-10);
                CHECK_NEAR(problem.certify(one, label, strength, 0.0).violation, one.violation, 1e-14);
            }
        }
    }
}

// With the squared hinge a start far out leaves no document with curvature, for one label or for all.
TEST(labels_without_any_curvature_shrink_back_among_others) {
    RandomProblem problem(33, 12, 40, 10, Kind::real, 0.4, LossKind::squared_hinge);
    problem.offset.assign(problem.offset.size(), 0.0);
    const auto options = problem.options(1e-4, 0.0, 1e-9);
    const auto cold = fit<const double*>(problem, options);
    for (const std::int32_t every : {1, 3}) {
        std::vector<double> factor(10, 0.0);
        for (std::int32_t label = 0; label < 10; label += every) factor[label] = 100.0;
        start_from(problem, cold, factor);
        const auto warm = fit<const double*>(problem, options);
        for (std::int32_t label = 0; label < 10; ++label) {
            CHECK(warm[label].violation <= 1e-9);
            CHECK_NEAR(warm[label].objective, cold[label].objective, 1e-10);
            if (factor[label] > 0.0) CHECK(warm[label].history[0].objective > cold[label].objective);
        }
    }
}

// The squares are of a start so far out that the first step goes too far: halves of it are tried.
TEST(steps_that_are_too_long_are_halved_in_any_company) {
    for (const LossKind loss : kLosses) {
        RandomProblem problem(34, 40, 60, 12, Kind::real, 0.4, loss);
        auto options = problem.options(1e-4, 0.0, 1e-8);
        const auto cold = fit<const double*>(problem, options);
        std::vector<double> factor(12, 1.0);
        for (std::int32_t label = 0; label < 12; label += 2) factor[label] = -3.0;
        start_from(problem, cold, factor);
        const auto fits = fit<const double*>(problem, options);
        bool has_short_step = false;
        for (std::int32_t label = 0; label < 12; ++label) {
            CHECK(fits[label].violation <= 1e-8);
            CHECK_NEAR(fits[label].objective, cold[label].objective, 1e-9);
            CHECK(same_bits(fit<const double*>(only(problem, {label}), options)[0], fits[label]));
            for (std::size_t k = 1; k < fits[label].history.size(); ++k) {
                has_short_step |= fits[label].history[k].step < 1.0;
                CHECK(fits[label].history[k].objective <= fits[label].history[k - 1].objective + 1e-14);
            }
        }
        CHECK(has_short_step || loss == LossKind::squared_hinge);
    }
}

TEST(limits_of_columns_are_those_of_each_label) {
    for (const LossKind loss : kLosses) {
        RandomProblem problem(35, 50, 24, 10, Kind::real, 0.4, loss);
        auto options = problem.options(0.002, 0.0, 1e-9);
        options.path = {0.05};
        const std::vector<std::int32_t> limits{24, 0, 5, 12, 24, 1, 23, 7, 0, 24};
        const auto fits = fit<const double*>(problem, options, limits.data());
        for (std::int32_t label = 0; label < 10; ++label) {
            const auto alone = fit<const double*>(only(problem, {label}), options, &limits[label]);
            for (int s = 0; s < 2; ++s) {
                const BinaryFit& one = fits[2 * label + s];
                CHECK(same_bits(alone[s], one));
                CHECK(one.violation <= 1e-9);
                CHECK(limits[label] == 0 ? one.indices.empty() : one.indices.back() < limits[label]);
            }
        }
    }
}
