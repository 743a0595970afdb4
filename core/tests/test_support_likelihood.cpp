// The likelihood over label sets: its gradient is the slope of the loss, threads change no bit, nothing out of bounds.
#include "random_problem.hpp"
#include "setwise/support_likelihood.hpp"
#include "test_main.hpp"

namespace {

using setwise::LikelihoodGradient;
using setwise::Ones;
using setwise::WeighedSets;
using setwise_test::Kind;
using setwise_test::RandomProblem;

const std::atomic<bool> kGoOn{false};
constexpr std::int32_t kLabels = 3;
constexpr std::int64_t kStride = 8;

// The sets {}, {0}, {1, 2} and {0, 1, 2}, with weights, intercepts and biases that the tests may move.
struct Field {
    std::vector<std::int64_t> indptr{0, 0, 1, 3, 6};
    std::vector<std::int32_t> indices{0, 1, 2, 0, 1, 2}, own_set;
    std::vector<double> bias{0.1, -0.2, 0.3, 0.0}, weights, intercept;

    explicit Field(const RandomProblem& problem)
        : weights(static_cast<std::size_t>(problem.d) * kStride, 0.0), intercept(kStride, 0.0) {
        for (std::int32_t i = 0; i < problem.n; ++i) own_set.push_back(i % 4);
        for (std::int32_t j = 0; j < problem.d; ++j)
            for (std::int32_t l = 0; l < kLabels; ++l) weights[j * kStride + l] = 0.1 * (j - l);
        intercept[1] = -0.5;
    }

    template <class Values>
    LikelihoodGradient at(const RandomProblem& problem, int n_threads = 1) const {
        const WeighedSets sets{{kLabels, 4, indptr.data(), indices.data(), Ones{}}, bias.data()};
        return setwise::support_likelihood(problem.features<Values>(), sets, own_set.data(), kStride, weights.data(),
                                           intercept.data(), n_threads, kGoOn);
    }
};

template <class Values>
void check_slope(const RandomProblem& problem, Field& field, double& parameter, double slope) {
    const double step = 1e-5, at = parameter;
    parameter = at + step;
    const double above = field.at<Values>(problem).loss;
    parameter = at - step;
    const double below = field.at<Values>(problem).loss;
    parameter = at;
    CHECK_NEAR((above - below) / (2.0 * step), slope, 1e-8);
}

template <class Values>
void check_gradient(Kind kind) {
    for (const std::int32_t n : {1, 15, 16, 17, 50}) {
        const RandomProblem problem(n, n, 4, 1, kind);
        Field field(problem);
        const auto found = field.at<Values>(problem);
        for (std::int32_t j = 0; j < problem.d; ++j)
            for (std::int32_t l = 0; l < kLabels; ++l)
                check_slope<Values>(problem, field, field.weights[j * kStride + l], found.weights[j * kStride + l]);
        for (std::int32_t l = 0; l < kLabels; ++l)
            check_slope<Values>(problem, field, field.intercept[l], found.intercept[l]);
        for (std::int32_t s = 0; s < 4; ++s) check_slope<Values>(problem, field, field.bias[s], found.set_mass[s]);
    }
}

}  // namespace

TEST(gradient_of_ones) {
    check_gradient<Ones>(Kind::ones);
}
TEST(gradient_of_single_values) {
    check_gradient<const float*>(Kind::single);
}
TEST(gradient_of_double_values) {
    check_gradient<const double*>(Kind::real);
}

TEST(threads_change_no_bit) {
    const RandomProblem problem(3, 1100, 4, 1, Kind::real);
    const Field field(problem);
    const auto one = field.at<const double*>(problem, 1), two = field.at<const double*>(problem, 2);
    CHECK(one.loss == two.loss);
    CHECK(one.weights == two.weights);
    CHECK(one.intercept == two.intercept);
    CHECK(one.set_mass == two.set_mass);
}

TEST(once_told_to_stop_it_returns) {
    const RandomProblem problem(3, 40, 4, 1, Kind::ones);
    const Field field(problem);
    const std::atomic<bool> stop{true};
    const WeighedSets sets{{kLabels, 4, field.indptr.data(), field.indices.data(), Ones{}}, field.bias.data()};
    const auto found = setwise::support_likelihood(problem.features<Ones>(), sets, field.own_set.data(), kStride,
                                                   field.weights.data(), field.intercept.data(), 1, stop);
    CHECK(found.weights.size() == static_cast<std::size_t>(problem.d) * kStride);
}
