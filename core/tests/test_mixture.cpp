// Mixtures of independent labels against sums over every set, in long double.
#include <algorithm>
#include <bit>
#include <limits>
#include <random>

#include "setwise/mixture.hpp"
#include "test_main.hpp"

namespace {

using setwise::Mixture;

constexpr double kNever = -std::numeric_limits<double>::infinity();

struct RandomMixture {
    std::int64_t n;
    std::int32_t n_components, n_labels;
    std::vector<double> logits, log_gate;

    // Logits around `shift`, some of them odd; every fifth gate is closed, never the first.
    RandomMixture(int seed, std::int64_t documents, std::int32_t components, std::int32_t labels, double shift = -0.5)
        : n(documents), n_components(components), n_labels(labels) {
        constexpr double kOdd[] = {0.0, 0.5, 36.0, -36.0, 700.0, -700.0, 1e6, -1e6};
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal(shift, 2.0);
        for (std::int64_t e = 0; e < n * n_components * n_labels; ++e)
            logits.push_back(random() % 10 == 0 ? kOdd[random() % 8] : normal(random));
        for (std::int64_t e = 0; e < n * n_components; ++e)
            log_gate.push_back(e % n_components != 0 && random() % 5 == 0 ? kNever : normal(random) - 3.0);
    }

    Mixture view() const { return {n, n_components, n_labels, logits.data(), log_gate.data()}; }

    long double probability(std::int64_t i, std::uint32_t set) const {
        long double sum = 0.0L;
        for (std::int32_t k = 0; k < n_components; ++k) {
            long double log = log_gate[i * n_components + k];
            for (std::int32_t l = 0; l < n_labels; ++l) {
                const long double z = logits[(i * n_components + k) * n_labels + l];
                const long double loss = set >> l & 1 ? -z : z;  // log(1 + e^loss) is what the label costs
                log -= std::max(loss, 0.0L) + std::log1p(std::exp(-std::abs(loss)));
            }
            sum += std::exp(log);
        }
        return sum;
    }
};

const std::atomic<bool> kGoOn{false};

struct EverySet {
    std::int32_t n_labels;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;

    setwise::LabelSets sets() const { return {n_labels, indptr, indices}; }

    explicit EverySet(std::int32_t labels) : n_labels(labels) {
        for (std::uint32_t set = 0; set < 1u << n_labels; ++set) {
            for (std::int32_t l = 0; l < n_labels; ++l)
                if (set >> l & 1) indices.push_back(l);
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
        }
    }
};

}  // namespace

TEST(log_probability_of_every_set) {
    for (const std::int32_t n_labels : {1, 2, 6}) {
        for (const std::int64_t n : {0, 1, 7, 8, 9}) {
            for (const std::int32_t n_components : {1, 3}) {
                const RandomMixture random(1, n, n_components, n_labels);
                const EverySet every(n_labels);
                const std::int64_t n_sets = every.sets().n_sets();
                std::vector<double> found(n * n_sets, NAN);
                setwise::mixture_log_prob(random.view(), every.sets(), 2, kGoOn, found.data());
                for (std::int64_t i = 0; i < n; ++i) {
                    for (std::int64_t s = 0; s < n_sets; ++s) {
                        const double at = found[i * n_sets + s];
                        const auto p = static_cast<double>(random.probability(i, static_cast<std::uint32_t>(s)));
                        CHECK_NEAR(std::exp(at), p, 1e-8 * p + 1e-300);  // logits of 1e6 leave so much
                    }
                }
            }
        }
    }
}

TEST(labels_and_sizes_add_up_over_sets) {
    for (const double shift : {-2.0, 0.0, 3.0}) {
        for (const std::int32_t n_labels : {1, 2, 7}) {
            for (std::int32_t max_size = 0; max_size <= n_labels; ++max_size) {
                const RandomMixture random(2, 5, 3, n_labels, shift);
                std::vector<double> joint(5 * n_labels * max_size, 0.0), empty(5, NAN);
                setwise::mixture_size_marginals(random.view(), max_size, 2, kGoOn, joint.data(), empty.data());
                std::vector<long double> expected(5 * n_labels * max_size, 0.0L);
                for (std::int64_t i = 0; i < 5; ++i) {
                    for (std::uint32_t set = 1; set < 1u << n_labels; ++set) {
                        const int size = std::popcount(set);
                        for (std::int32_t l = 0; l < n_labels && size <= max_size; ++l)
                            if (set >> l & 1)
                                expected[(i * n_labels + l) * max_size + size - 1] += random.probability(i, set);
                    }
                    CHECK_NEAR(empty[i], static_cast<double>(random.probability(i, 0)), 1e-12 * empty[i]);
                }
                for (std::size_t e = 0; e < joint.size(); ++e)
                    CHECK_NEAR(joint[e], static_cast<double>(expected[e]), 1e-12);
            }
        }
    }
}

TEST(sizes_of_many_labels) {
    std::mt19937_64 random(3);
    for (const double scale : {0.0, 0.1, 3.0, 200.0}) {
        std::vector<double> logits(700), joint(700 * 700, 0.0);
        std::normal_distribution<double> normal;
        for (double& z : logits) z = scale * normal(random);
        const double open = 0.0;
        double empty = NAN;
        setwise::mixture_size_marginals({1, 1, 700, logits.data(), &open}, 700, 1, kGoOn, joint.data(), &empty);
        for (std::int32_t l = 0; l < 700; ++l) {
            double sum = 0.0;
            for (std::int32_t s = 0; s < 700; ++s) sum += joint[l * 700 + s];
            CHECK_NEAR(sum, 1.0 / (1.0 + std::exp(-logits[l])), 1e-12);
        }
    }
}

TEST(no_set_beats_the_mode) {
    for (int seed = 0; seed < 40; ++seed) {
        const std::int32_t n_labels = 1 + seed % 8, n_components = 1 + seed % 5;
        const RandomMixture random(seed, 3, n_components, n_labels);
        const auto modes = setwise::mixture_mode(random.view(), seed % 2, 0, 2, kGoOn);
        for (std::int64_t i = 0; i < 3; ++i) {
            long double largest = 0.0L;
            for (std::uint32_t set = seed % 2; set < 1u << n_labels; ++set)  // every second time without the empty set
                largest = std::max(largest, random.probability(i, set));
            std::uint32_t chosen = 0;
            for (const std::int32_t l : modes[i].labels) chosen |= 1u << l;
            const auto best = static_cast<double>(largest);
            CHECK(modes[i].exact && std::is_sorted(modes[i].labels.begin(), modes[i].labels.end()));
            CHECK_NEAR(static_cast<double>(random.probability(i, chosen)), best, 1e-12 * best);
            CHECK_NEAR(std::exp(modes[i].log_prob), best, 1e-12 * best);
        }
    }
}

TEST(a_stopped_search_proves_nothing) {
    const RandomMixture random(4, 2, 4, 12, 0.0);
    const std::atomic<bool> stop{true};
    for (const auto& mode : setwise::mixture_mode(random.view(), false, 0, 1, stop)) CHECK(!mode.exact);
}
