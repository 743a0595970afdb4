// The set of highest expected F against every set, and distributions over sets against plain sums, in long double.
#include <algorithm>
#include <bit>
#include <limits>
#include <random>

#include "setwise/gfm.hpp"
#include "setwise/set_distribution.hpp"
#include "test_main.hpp"

namespace {

using setwise::BestSet;

const std::atomic<bool> kGoOn{false}, kStop{true};
constexpr double kNever = -std::numeric_limits<double>::infinity();

// Some sets of a few labels with probabilities, documents x sets: some are zero, some equal.
struct RandomSets {
    std::int32_t n_labels, n_sets = 0;
    std::int64_t n;
    std::vector<std::uint32_t> bits;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<double> probability;

    RandomSets(int seed, std::int64_t documents, std::int32_t labels) : n_labels(labels), n(documents) {
        std::mt19937_64 random(seed);
        for (std::uint32_t set = 0; set < 1u << labels; ++set) {
            if (set != 0 && random() % 3 == 0) continue;
            bits.push_back(set);
            for (std::int32_t l = 0; l < labels; ++l)
                if (set >> l & 1) indices.push_back(l);
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
            ++n_sets;
        }
        std::exponential_distribution<double> mass;
        for (std::int64_t i = 0; i < n; ++i) {
            double total = 0.0;
            for (std::int32_t s = 0; s < n_sets; ++s) {
                const std::uint64_t kind = random() % 4;
                probability.push_back(kind == 0 ? 0.0 : kind == 1 ? 1.0 : mass(random));
                total += probability.back();
            }
            if (total == 0.0) total = probability[i * n_sets] = 1.0;
            for (std::int32_t s = 0; s < n_sets; ++s) probability[i * n_sets + s] /= total;
        }
    }

    setwise::LabelSets sets() const { return {n_labels, indptr, indices}; }

    long double expected(std::int64_t i, std::uint32_t chosen, double beta) const {
        long double sum = 0.0L;
        const long double square = static_cast<long double>(beta) * beta;
        for (std::int32_t s = 0; s < n_sets; ++s) {
            const int shared = std::popcount(bits[s] & chosen);
            const bool both_empty = bits[s] == 0 && chosen == 0;
            const long double f =
                both_empty    ? 1.0L
                : shared == 0 ? 0.0L
                              : (1.0L + square) * shared / (square * std::popcount(bits[s]) + std::popcount(chosen));
            sum += f * probability[i * n_sets + s];
        }
        return sum;
    }
};

std::uint32_t bits_of(const BestSet& found) {
    std::uint32_t set = 0;
    for (const std::int32_t l : found.labels) set |= 1u << l;
    return set;
}

struct Sizes {
    std::vector<double> joint, empty;

    explicit Sizes(const RandomSets& random, int n_threads = 1)
        : joint(random.n * random.n_labels * random.n_labels, 0.0), empty(random.n, 0.0) {
        setwise::size_marginals_of_sets(random.n, random.sets(), random.n_labels, random.probability.data(),
                                        joint.data(), empty.data(), n_threads, kGoOn);
    }
};

}  // namespace

TEST(no_set_expects_more) {
    for (const std::int32_t n_labels : {1, 2, 5, 7}) {
        const RandomSets random(n_labels, 20, n_labels);
        const Sizes sizes(random);
        for (const double beta : {0.5, 1.0, 2.0}) {
            const auto over_sets = setwise::maximize_expected_f_over_sets(random.n, random.sets(),
                                                                          random.probability.data(), beta, 1, kGoOn);
            const auto over_sizes = setwise::maximize_expected_f(random.n, n_labels, n_labels, sizes.joint.data(),
                                                                 sizes.empty.data(), beta, 1, kGoOn);
            for (std::int64_t i = 0; i < random.n; ++i) {
                long double most = 0.0L;
                for (std::uint32_t set = 0; set < 1u << n_labels; ++set)
                    most = std::max(most, random.expected(i, set, beta));
                for (const BestSet& found : {over_sets[i], over_sizes[i]}) {
                    CHECK_NEAR(found.expected, static_cast<double>(most), 1e-14);
                    CHECK_NEAR(static_cast<double>(random.expected(i, bits_of(found), beta)), found.expected, 1e-14);
                    CHECK(std::is_sorted(found.labels.begin(), found.labels.end()));
                }
            }
        }
    }
}

TEST(threads_leave_every_bit) {
    const RandomSets random(9, 300, 8);
    const auto once =
        setwise::maximize_expected_f_over_sets(random.n, random.sets(), random.probability.data(), 1.0, 1, kGoOn);
    const Sizes sizes(random), by_three(random, 3);
    CHECK(sizes.joint == by_three.joint);
    CHECK(sizes.empty == by_three.empty);
    for (const int n_threads : {2, 3}) {
        const auto again = setwise::maximize_expected_f_over_sets(random.n, random.sets(), random.probability.data(),
                                                                  1.0, n_threads, kGoOn);
        for (std::int64_t i = 0; i < random.n; ++i)
            CHECK(again[i].labels == once[i].labels && again[i].expected == once[i].expected);
    }
}

TEST(sizes_are_plain_sums) {
    const RandomSets random(3, 10, 6);
    const Sizes sizes(random);
    for (std::int64_t i = 0; i < random.n; ++i) {
        for (std::int32_t l = 0; l < random.n_labels; ++l) {
            for (std::int32_t size = 1; size <= random.n_labels; ++size) {
                long double sum = 0.0L;
                for (std::int32_t s = 0; s < random.n_sets; ++s)
                    if ((random.bits[s] >> l & 1) != 0 && std::popcount(random.bits[s]) == size)
                        sum += random.probability[i * random.n_sets + s];
                CHECK_NEAR(sizes.joint[(i * random.n_labels + l) * random.n_labels + size - 1],
                           static_cast<double>(sum), 1e-15);
            }
        }
        CHECK_NEAR(sizes.empty[i], random.probability[i * random.n_sets], 0.0);  // the first set is the empty one
    }
}

TEST(softmax_of_ordinary_and_of_extreme_scores) {
    for (const std::int32_t n_sets : {1, 2, 3, 4, 5, 8, 17, 100}) {
        for (const double spread : {1.0, 50.0, 1e4, 1e8}) {
            std::mt19937_64 random(n_sets);
            std::normal_distribution<double> normal(-spread, spread);
            std::vector<double> scores(3 * n_sets);
            for (double& score : scores) score = random() % 7 == 0 ? kNever : normal(random);
            for (int i = 0; i < 3; ++i) scores[i * n_sets] = normal(random);
            std::vector<double> found = scores;
            setwise::softmax_rows(3, n_sets, found.data(), 2, kGoOn);
            for (int i = 0; i < 3; ++i) {
                const double* row = scores.data() + i * n_sets;
                const long double largest = *std::max_element(row, row + n_sets);
                long double total = 0.0L, sum = 0.0L;
                for (std::int32_t s = 0; s < n_sets; ++s) total += std::exp(row[s] - largest);
                for (std::int32_t s = 0; s < n_sets; ++s) {
                    CHECK_NEAR(found[i * n_sets + s], static_cast<double>(std::exp(row[s] - largest) / total), 1e-15);
                    sum += found[i * n_sets + s];
                }
                CHECK_NEAR(static_cast<double>(sum), 1.0, 1e-14);
            }
        }
    }
}

TEST(scores_lead_to_the_bits_of_their_probabilities) {
    for (const std::int64_t n : {1, 7, 8, 9, 100}) {
        const RandomSets random(11, n, 5);
        const auto n_sets = static_cast<std::size_t>(random.n_sets);
        std::mt19937_64 draw(n);
        std::normal_distribution<double> normal(-20.0, 15.0);
        std::vector<double> scores(static_cast<std::size_t>(n) * n_sets), bias(n_sets), probability(scores.size());
        for (double& score : scores) score = draw() % 9 == 0 ? kNever : normal(draw);
        for (std::int64_t i = 0; i < n; ++i) scores[static_cast<std::size_t>(i) * n_sets] = normal(draw);
        for (double& one : bias) one = normal(draw);
        for (const double scale : {0.8, -0.1}) {
            const setwise::SetScaling scaling{scale, bias.data()};
            setwise::calibrated_softmax_rows(n, random.n_sets, scores.data(), scaling, probability.data(), 2, kGoOn);
            for (std::size_t e = 0; e < scores.size(); ++e) CHECK(scores[e] != kNever || probability[e] == 0.0);
            const auto expected =
                setwise::maximize_expected_f_over_sets(n, random.sets(), probability.data(), 1.0, 1, kGoOn);
            const auto found =
                setwise::maximize_expected_f_over_scores(n, random.sets(), scores.data(), scaling, 1.0, 2, kGoOn);
            for (std::size_t i = 0; i < found.size(); ++i)
                CHECK(found[i].labels == expected[i].labels && found[i].expected == expected[i].expected);
        }
    }
}

TEST(logits_lead_to_the_sets_of_their_scores) {
    for (const double largest : {3.0, 40.0, 400.0}) {  // the last have products beyond the normal numbers
        const std::int64_t n = 101;
        const RandomSets random(13, n, 6);
        const auto n_sets = static_cast<std::size_t>(random.n_sets), n_labels = std::size_t{6};
        const auto label_sets = random.sets();
        const auto sets = label_sets.columns();
        std::mt19937_64 draw(7);
        std::uniform_real_distribution<double> spread(-largest, largest), tilt(-2.0, 2.0);
        std::vector<double> logits(static_cast<std::size_t>(n) * n_labels), bias(n_sets);
        for (double& one : logits) one = draw() % 5 == 0 ? spread(draw) : tilt(draw);
        for (double& one : bias) one = tilt(draw);
        std::vector<double> scores(static_cast<std::size_t>(n) * n_sets, 0.0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            for (std::int32_t s = 0; s < sets.n_cols; ++s)
                for (std::int64_t e = sets.begin(s); e < sets.end(s); ++e)
                    scores[i * n_sets + static_cast<std::size_t>(s)] +=
                        logits[i * n_labels + static_cast<std::size_t>(sets.indices[e])];
        for (const double scale : {1.0, 0.7, -0.1}) {
            const setwise::SetScaling scaling{scale, bias.data()};
            const auto expected =
                setwise::maximize_expected_f_over_scores(n, label_sets, scores.data(), scaling, 1.0, 1, kGoOn);
            const auto found =
                setwise::maximize_expected_f_over_logits(n, label_sets, logits.data(), scaling, 1.0, 2, kGoOn);
            for (std::size_t i = 0; i < found.size(); ++i) {
                CHECK(found[i].labels == expected[i].labels);
                CHECK_NEAR(found[i].expected, expected[i].expected, 1e-13);
                const auto alone = setwise::maximize_expected_f_over_logits(1, label_sets, logits.data() + i * n_labels,
                                                                            scaling, 1.0, 1, kGoOn);
                CHECK(alone[0].labels == found[i].labels && alone[0].expected == found[i].expected);
            }
        }
    }
}

TEST(sizes_that_cannot_matter_leave_no_trace) {
    // Document 0 needs the large sets, document 1 cannot have them, and so on, in one block of lanes.
    const std::int32_t n_labels = 14;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    for (std::int32_t size = 0; size <= n_labels; ++size)
        for (std::int32_t first = 0; first + size <= n_labels && first < 3; ++first) {
            for (std::int32_t l = first; l < first + size; ++l) indices.push_back(l);
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
        }
    const setwise::LabelSets sets(n_labels, indptr, indices);
    const auto n_sets = static_cast<std::size_t>(sets.n_sets());
    const std::vector<double> tilts{8.0, -40.0, -3.0, -700.0, 21.0, 0.0, -1e-310, -12.0, 1e5, -1e5, 60.0, -0.5};
    const auto n = static_cast<std::int64_t>(tilts.size());
    std::vector<double> logits, scores, bias(n_sets, 0.0);
    for (const double tilt : tilts)
        for (std::int32_t l = 0; l < n_labels; ++l) logits.push_back(tilt * (1.0 + 0.01 * (l % 3)));
    const auto columns = sets.columns();
    for (std::size_t i = 0; i < tilts.size(); ++i)
        for (std::int32_t s = 0; s < columns.n_cols; ++s) {
            double score = 0.0;
            for (std::int64_t e = columns.begin(s); e < columns.end(s); ++e)
                score += logits[i * n_labels + static_cast<std::size_t>(columns.indices[e])];
            scores.push_back(score);
        }
    for (const bool is_tilted : {false, true}) {
        for (std::size_t s = 0; is_tilted && s < n_sets; ++s) bias[s] = s % 2 == 0 ? 900.0 : -5.0 * (s % 7);
        const setwise::SetScaling scaling{1.0, bias.data()};
        const auto expected = setwise::maximize_expected_f_over_scores(n, sets, scores.data(), scaling, 1.0, 1, kGoOn);
        const auto found = setwise::maximize_expected_f_over_logits(n, sets, logits.data(), scaling, 1.0, 1, kGoOn);
        for (std::int64_t i = 0; i < n; ++i) {
            CHECK(found[i].labels == expected[i].labels);
            CHECK_NEAR(found[i].expected, expected[i].expected, 1e-13);
            const auto alone =
                setwise::maximize_expected_f_over_logits(1, sets, logits.data() + i * n_labels, scaling, 1.0, 1, kGoOn);
            CHECK(alone[0].labels == found[i].labels && alone[0].expected == found[i].expected);
        }
    }
}

TEST(a_support_of_one_set) {
    for (const std::int32_t size : {0, 1, 3}) {
        const setwise::LabelSets sets(3, {0, size},
                                      size == 0   ? std::vector<std::int32_t>{}
                                      : size == 1 ? std::vector<std::int32_t>{1}
                                                  : std::vector<std::int32_t>{0, 1, 2});
        const std::vector<double> logits{-9.0, 2.0, -800.0}, bias{0.0};
        const auto found =
            setwise::maximize_expected_f_over_logits(1, sets, logits.data(), {1.0, bias.data()}, 1.0, 1, kGoOn);
        CHECK(static_cast<std::int32_t>(found[0].labels.size()) == size);
        CHECK_NEAR(found[0].expected, 1.0, 1e-15);
    }
}

TEST(a_stop_is_heard) {
    const RandomSets random(5, 50, 4);
    for (const BestSet& found :
         setwise::maximize_expected_f_over_sets(random.n, random.sets(), random.probability.data(), 1.0, 2, kStop))
        CHECK(found.labels.empty());
}
