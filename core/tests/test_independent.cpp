// The best sets for independent labels against every set, in long double.
#include <algorithm>
#include <bit>
#include <random>

#include "setwise/independent.hpp"
#include "test_main.hpp"

namespace {

using setwise::BestSet;
using setwise::IndependentLabels;

const std::atomic<bool> kGoOn{false}, kStop{true};

// Logits of a few labels, some of them equal and some odd.
struct RandomLabels {
    std::int64_t n;
    std::int32_t n_labels;
    std::vector<double> logits;

    RandomLabels(int seed, std::int64_t documents, std::int32_t labels, double shift = -0.5)
        : n(documents), n_labels(labels) {
        constexpr double kOdd[] = {0.0, 1.0, -1.0, 36.0, -36.0, 700.0, -700.0, -1e6};
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal(shift, 2.0);
        for (std::int64_t e = 0; e < n * n_labels; ++e)
            logits.push_back(random() % 3 == 0 ? kOdd[random() % 8] : normal(random));
    }

    IndependentLabels view(bool excludes_empty = false) const { return {n, n_labels, logits.data(), excludes_empty}; }

    // The probability of every set of a document.
    std::vector<long double> probabilities(std::int64_t i) const {
        std::vector<long double> of_sets(std::size_t{1} << n_labels, 1.0L);
        for (std::int32_t l = 0; l < n_labels; ++l) {
            const long double z = logits[i * n_labels + l];
            const long double on = 1.0L / (1.0L + std::exp(-z)), off = 1.0L / (1.0L + std::exp(z));
            for (std::size_t set = 0; set < of_sets.size(); ++set) of_sets[set] *= set >> l & 1 ? on : off;
        }
        return of_sets;
    }
};

auto f_with(long double beta) {
    return [square = beta * beta](int n_true, int n_chosen, int both) {
        return (1.0L + square) * both / (square * n_true + n_chosen);
    };
}

long double jaccard(int n_true, int n_chosen, int both) {
    return static_cast<long double>(both) / (n_true + n_chosen - both);
}

// The expected value of a chosen set, f(|true|, |chosen|, |both|) for each true one.
template <class F>
double expected(const std::vector<long double>& probabilities, std::uint32_t chosen, bool excludes_empty, F f) {
    long double sum = 0.0L, total = 0.0L;
    for (std::uint32_t set = excludes_empty ? 1 : 0; set < probabilities.size(); ++set) {
        const bool both_empty = set == 0 && chosen == 0;
        const int n_true = std::popcount(set), n_chosen = std::popcount(chosen), both = std::popcount(set & chosen);
        sum += probabilities[set] * (both_empty ? 1.0L : f(n_true, n_chosen, both));
        total += probabilities[set];
    }
    return static_cast<double>(total == 0.0L ? 0.0L : sum / total);
}

std::uint32_t bits_of(const BestSet& found) {
    std::uint32_t set = 0;
    for (const std::int32_t l : found.labels) set |= 1u << l;
    return set;
}

template <class F>
void check_best(const RandomLabels& random, bool excludes_empty, const std::vector<BestSet>& found, F f) {
    for (std::int64_t i = 0; i < random.n; ++i) {
        const auto p = random.probabilities(i);
        double most = 0.0;
        for (std::uint32_t set = 0; set < p.size(); ++set) most = std::max(most, expected(p, set, excludes_empty, f));
        CHECK_NEAR(found[i].expected, most, 1e-13);
        CHECK_NEAR(expected(p, bits_of(found[i]), excludes_empty, f), most, 1e-13);
        CHECK(std::is_sorted(found[i].labels.begin(), found[i].labels.end()));
    }
}

}  // namespace

TEST(no_set_expects_more) {
    for (const double shift : {-4.0, 0.0, 3.0}) {
        for (const std::int32_t n_labels : {1, 2, 5, 7}) {
            const RandomLabels random(n_labels, 20, n_labels, shift);
            for (const bool excludes_empty : {false, true}) {
                const auto labels = random.view(excludes_empty);
                for (const double beta : {0.5, 1.0, 2.0})
                    check_best(random, excludes_empty, setwise::maximize_expected_f(labels, beta, 1, kGoOn),
                               f_with(beta));
                check_best(random, excludes_empty, setwise::maximize_expected_jaccard(labels, 1, kGoOn), jaccard);
            }
        }
    }
}

TEST(given_sets_expect_what_the_definition_says) {
    const std::int32_t n_labels = 6;
    const RandomLabels random(4, 1 << n_labels, n_labels);
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    for (std::uint32_t set = 0; set < 1u << n_labels; ++set) {  // document i has the set of bits i
        for (std::int32_t l = 0; l < n_labels; ++l)
            if (set >> l & 1) indices.push_back(l);
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
    }
    const setwise::LabelSets sets(n_labels, indptr, indices);
    for (const bool excludes_empty : {false, true}) {
        for (const double beta : {0.5, 1.0, 2.0}) {
            const auto found = setwise::expected_f(random.view(excludes_empty), sets, beta, 2, kGoOn);
            for (std::uint32_t set = 0; set < 1u << n_labels; ++set)
                CHECK_NEAR(found[set], expected(random.probabilities(set), set, excludes_empty, f_with(beta)), 1e-13);
        }
    }
}

TEST(threads_leave_every_bit) {
    const RandomLabels random(9, 200, 300, -5.0);
    const auto f = setwise::maximize_expected_f(random.view(), 1.0, 1, kGoOn);
    const auto j = setwise::maximize_expected_jaccard(random.view(), 1, kGoOn);
    for (const int n_threads : {2, 3}) {
        const auto f_again = setwise::maximize_expected_f(random.view(), 1.0, n_threads, kGoOn);
        const auto j_again = setwise::maximize_expected_jaccard(random.view(), n_threads, kGoOn);
        for (std::int64_t i = 0; i < random.n; ++i) {
            CHECK(f_again[i].labels == f[i].labels && f_again[i].expected == f[i].expected);
            CHECK(j_again[i].labels == j[i].labels && j_again[i].expected == j[i].expected);
        }
    }
}

TEST(a_stop_is_heard) {
    const RandomLabels random(5, 50, 4, 2.0);
    for (const auto& found : {setwise::maximize_expected_f(random.view(), 1.0, 2, kStop),
                              setwise::maximize_expected_jaccard(random.view(), 2, kStop)})
        for (const BestSet& best : found) CHECK(best.labels.empty());
}

TEST(ties_go_to_the_first_labels_and_to_the_smaller_set) {
    const std::vector<double> one{0.0}, many{-3.0, 1.0, -3.0, 1.0, 1.0};
    for (const bool jaccard_index : {false, true}) {
        const auto best = [&](const std::vector<double>& logits) {
            const IndependentLabels labels{1, static_cast<std::int32_t>(logits.size()), logits.data(), false};
            return jaccard_index ? setwise::maximize_expected_jaccard(labels, 1, kGoOn)[0]
                                 : setwise::maximize_expected_f(labels, 1.0, 1, kGoOn)[0];
        };
        CHECK(best(one).labels.empty());
        CHECK((best(many).labels == std::vector<std::int32_t>{1, 3, 4}));
        std::vector<double> even(6, 0.0);
        even[0] = -9.0;
        even[2] = 9.0;
        const std::vector<std::int32_t> found = best(even).labels, order{1, 2, 3, 4, 5};
        CHECK(std::equal(found.begin(), found.end(), order.begin()));
    }
}
