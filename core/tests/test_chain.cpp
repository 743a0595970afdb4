// Chains small enough to write every set out, and what the walks along them may not do: read beyond their arrays.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "setwise/chain.hpp"
#include "test_main.hpp"

namespace {

const std::atomic<bool> kGoOn{false};

struct RandomChain {
    std::int32_t n_labels, n_rows;
    std::vector<std::int64_t> indptr{0}, set_indptr{0};
    std::vector<std::int32_t> indices, set_indices;
    std::vector<double> values, scores;

    RandomChain(int seed, std::int32_t labels, std::int32_t rows, double size = 1.0, double sparsity = 0.0)
        : n_labels(labels), n_rows(rows) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        for (std::int32_t l = 0; l < n_labels; ++l) {
            for (std::int32_t j = l + 1; j < n_labels; ++j) {
                if (normal(random) < sparsity) continue;
                indices.push_back(j);
                values.push_back(size * normal(random));
            }
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
        }
        for (std::int32_t k = 0; k < n_rows * n_labels; ++k) scores.push_back(size * normal(random));
    }

    setwise::Chain chain() const { return {indptr, indices, values}; }
    setwise::ScoreRows rows() const { return {n_rows, n_labels, scores.data()}; }

    void add_set(std::uint32_t bits) {
        for (std::int32_t j = 0; j < n_labels; ++j)
            if (bits >> j & 1u) set_indices.push_back(j);
        set_indptr.push_back(static_cast<std::int64_t>(set_indices.size()));
    }
    void add_every_set() {
        for (std::uint32_t bits = 0; bits < 1u << n_labels; ++bits) add_set(bits);
    }
    setwise::LabelSets sets() const { return {n_labels, set_indptr, set_indices}; }
    setwise::ChainTrie trie() const {
        std::vector<std::int32_t> order(n_labels);
        std::iota(order.begin(), order.end(), 0);
        return {sets(), order};
    }

    setwise::Samples samples(std::int32_t n, const double* uniform) const {
        const setwise::Chain drawn = chain();
        std::vector<std::int32_t> order(n_labels), all(n);
        std::iota(order.begin(), order.end(), 0);
        std::iota(all.begin(), all.end(), 0);
        return setwise::chain_samples({{&drawn, order.data(), rows(), all}}, n, uniform, 1, kGoOn);
    }

    double log_prob(std::int32_t row, std::uint32_t bits) const {
        double total = 0.0;
        std::vector<double> logit(scores.begin() + row * n_labels, scores.begin() + (row + 1) * n_labels);
        for (std::int32_t l = 0; l < n_labels; ++l) {
            const bool has = bits >> l & 1u;
            const double z = has ? -logit[l] : logit[l];
            total -= std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
            for (std::int64_t e = indptr[l]; has && e < indptr[l + 1]; ++e) logit[indices[e]] += values[e];
        }
        return total;
    }
};

std::uint32_t bits_of(const std::int32_t* begin, const std::int32_t* end) {
    std::uint32_t bits = 0;
    for (; begin != end; ++begin) bits |= 1u << *begin;
    return bits;
}

}  // namespace

TEST(every_set_of_every_document) {
    for (const double size : {1.0, 20.0, 300.0})
        for (const std::int32_t n_labels : {1, 2, 5, 7})
            for (const std::int32_t n_rows : {1, 7, 8, 17}) {
                RandomChain chain(n_labels * 100 + n_rows, n_labels, n_rows, size);
                chain.add_every_set();
                const std::size_t n_sets = 1u << n_labels;
                for (const int n_threads : {1, 2}) {
                    const auto found =
                        setwise::chain_log_prob({chain.chain(), chain.trie()}, chain.rows(), n_threads, kGoOn);
                    CHECK(found.size() == n_rows * n_sets);
                    for (std::int32_t i = 0; i < n_rows; ++i)
                        for (std::uint32_t bits = 0; bits < n_sets; ++bits)
                            CHECK_NEAR(found[i * n_sets + bits], chain.log_prob(i, bits), 1e-12 * (1.0 + size));
                }
            }
}

// Where few labels share receivers, most nodes are alone and few are felt; the first labels of a chain that shares all
// are neither.
TEST(sparse_feedback_is_planned) {
    int n_alone = 0, n_felt = 0, n_nodes = 0;
    for (int seed = 0; seed < 20; ++seed)
        for (const double size : {1.0, 300.0}) {
            RandomChain chain(seed, 9, 5, size, 1.3);
            chain.add_every_set();
            const auto parts = chain.chain();
            const auto trie = chain.trie();
            const setwise::ChainPlan plan(parts, trie);
            for (const auto& step : plan.steps()) {
                n_alone += step.is_alone;
                n_felt += step.is_felt;
                ++n_nodes;
            }
            for (const std::int32_t n_rows : {1, 5}) {
                const auto found = setwise::chain_log_prob(plan, {n_rows, 9, chain.scores.data()}, 1, kGoOn);
                for (std::int32_t i = 0; i < n_rows; ++i)
                    for (std::uint32_t bits = 0; bits < 512; ++bits)
                        CHECK_NEAR(found[i * 512 + bits], chain.log_prob(i, bits), 1e-12 * (1.0 + size));
            }
        }
    CHECK(n_nodes / 4 < n_alone && n_alone < n_nodes);
    CHECK(0 < n_felt && n_felt < n_nodes / 2);
}

TEST(sets_in_any_order_and_again) {
    RandomChain chain(1, 6, 11);
    for (const std::uint32_t bits : {63u, 0u, 5u, 5u, 1u, 0u, 40u, 7u}) chain.add_set(bits);
    const auto found = setwise::chain_log_prob({chain.chain(), chain.trie()}, chain.rows(), 1, kGoOn);
    for (std::int32_t i = 0; i < 11; ++i) {
        CHECK(found[i * 8 + 1] == found[i * 8 + 5]);
        CHECK(found[i * 8 + 2] == found[i * 8 + 3]);
        CHECK_NEAR(found[i * 8], chain.log_prob(i, 63), 1e-12);
        CHECK_NEAR(found[i * 8 + 7], chain.log_prob(i, 7), 1e-12);
    }
}

TEST(labels_of_the_sets_are_renumbered_by_the_order_of_the_chain) {
    RandomChain chain(8, 5, 2);
    chain.add_every_set();
    const std::vector<std::int32_t> order{3, 0, 4, 2, 1};
    const auto found =
        setwise::chain_log_prob({chain.chain(), setwise::ChainTrie(chain.sets(), order)}, chain.rows(), 1, kGoOn);
    for (std::int32_t i = 0; i < 2; ++i)
        for (std::uint32_t bits = 0; bits < 32; ++bits) {
            std::uint32_t placed = 0;
            for (std::int32_t p = 0; p < 5; ++p) placed |= (bits >> order[p] & 1u) << p;
            CHECK_NEAR(found[i * 32 + bits], chain.log_prob(i, placed), 1e-12);
        }
}

// Labels late in the chain have few receivers: sets of them are followed label by label, sets of early ones are not.
TEST(one_document_alone_has_the_bits_of_many) {
    for (const auto& [size, every] : {std::pair{1.0, 7u}, {300.0, 7u}, {1.0, 1u << 8}}) {
        RandomChain chain(9, 12, 21, size);
        for (std::uint32_t bits = 0; bits < 4096; bits += every) chain.add_set(bits);
        const auto trie = chain.trie();
        const auto together = setwise::chain_log_prob({chain.chain(), trie}, chain.rows(), 2, kGoOn);
        for (std::int32_t i = 0; i < 21; ++i) {
            const auto alone = setwise::chain_log_prob({chain.chain(), trie}, {1, 12, chain.rows().row(i)}, 1, kGoOn);
            CHECK(std::equal(alone.begin(), alone.end(), together.begin() + i * trie.n_sets()));
        }
    }
}

TEST(sets_of_late_labels_and_of_early_ones_are_scored_alike) {
    RandomChain late(5, 20, 9), early(5, 20, 9);
    for (std::uint32_t k = 0; k < 16; ++k) {
        late.add_set(k << 16);
        early.add_set(k);
    }
    const auto scored_late = setwise::chain_log_prob({late.chain(), late.trie()}, late.rows(), 1, kGoOn);
    const auto scored_early = setwise::chain_log_prob({early.chain(), early.trie()}, early.rows(), 1, kGoOn);
    for (std::int32_t i = 0; i < 9; ++i)
        for (std::uint32_t k = 0; k < 16; ++k) {
            CHECK_NEAR(scored_late[i * 16 + k], late.log_prob(i, k << 16), 1e-12);
            CHECK_NEAR(scored_early[i * 16 + k], early.log_prob(i, k), 1e-12);
        }
}

TEST(no_sets_and_no_documents) {
    RandomChain chain(2, 4, 3), nobody(3, 4, 0);
    CHECK(setwise::chain_log_prob({chain.chain(), chain.trie()}, chain.rows(), 1, kGoOn).empty());
    nobody.add_every_set();
    CHECK(setwise::chain_log_prob({nobody.chain(), nobody.trie()}, nobody.rows(), 2, kGoOn).empty());
    CHECK(setwise::chain_beams(nobody.chain(), nobody.rows(), 3, 1, kGoOn).first.size() == 1);
    CHECK(chain.samples(0, nullptr).indices.empty());
    CHECK(nobody.samples(0, nullptr).indptr.size() == 1);
}

TEST(one_set_a_document) {
    RandomChain chain(4, 5, 3);
    const std::vector<std::uint32_t> asked{31, 0, 9, 9};
    const std::vector<std::int32_t> document{2, 0, 1, 0};
    for (const std::uint32_t bits : asked) chain.add_set(bits);
    const auto found =
        setwise::chain_log_prob_each(chain.chain(), chain.rows(), chain.sets(), document.data(), 2, kGoOn);
    for (std::size_t k = 0; k < asked.size(); ++k) CHECK_NEAR(found[k], chain.log_prob(document[k], asked[k]), 1e-13);
}

TEST(beams_of_every_width) {
    for (const std::int32_t n_labels : {1, 3, 6})
        for (const std::int32_t width : {1, 2, 3, 5, 16, 63, 64, 1000}) {
            RandomChain chain(n_labels + width, n_labels, 5);
            const auto beams = setwise::chain_beams(chain.chain(), chain.rows(), width, 2, kGoOn);
            const std::uint32_t n_sets = 1u << n_labels;
            for (std::int32_t i = 0; i < 5; ++i) {
                std::vector<bool> ended(n_sets, false);
                for (std::int64_t s = beams.first[i]; s < beams.first[i + 1]; ++s)
                    ended[bits_of(beams.indices.data() + beams.indptr[s], beams.indices.data() + beams.indptr[s + 1])] =
                        true;
                const auto n_ended = std::count(ended.begin(), ended.end(), true);
                CHECK(n_ended == std::min<std::int64_t>(width, n_sets));
                CHECK(n_ended == beams.first[i + 1] - beams.first[i]);
                CHECK(std::isinf(beams.pruned[i]) == (n_ended == n_sets));
                for (std::uint32_t bits = 0; bits < n_sets; ++bits)
                    if (!ended[bits]) CHECK(chain.log_prob(i, bits) <= beams.pruned[i] + 1e-13);
            }
        }
}

TEST(samples_follow_the_uniform_numbers) {
    const std::int32_t n = 130, n_documents = 5;
    const RandomChain one(5, 6, n_documents), other(8, 6, n_documents);
    std::mt19937_64 random(6);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<double> drawn;
    for (std::int32_t k = 0; k < n * 6; ++k) drawn.push_back(uniform(random));
    const std::vector<std::int32_t> order{3, 0, 5, 1, 4, 2}, same{0, 1, 2, 3, 4, 5};
    const setwise::Chain chains[] = {one.chain(), other.chain()};
    std::vector<setwise::ChainDraws> draws{{&chains[0], order.data(), one.rows(), {}},
                                           {&chains[1], same.data(), other.rows(), {}}};
    for (std::int32_t k = 0; k < n; ++k) draws[k % 3 == 1].samples.push_back(k);
    const auto samples = setwise::chain_samples(draws, n, drawn.data(), 1, kGoOn);
    CHECK(samples.indptr.size() == static_cast<std::size_t>(n) * n_documents + 1);
    for (std::int32_t i = 0; i < n_documents; ++i)
        for (std::int32_t k = 0; k < n; ++k) {
            const RandomChain& chain = k % 3 == 1 ? other : one;
            std::uint32_t expected = 0;
            std::vector<double> logit(chain.scores.begin() + i * 6, chain.scores.begin() + (i + 1) * 6);
            for (std::int32_t l = 0; l < 6; ++l) {
                if (drawn[k * 6 + l] >= 1.0 / (1.0 + std::exp(-logit[l]))) continue;
                expected |= 1u << (k % 3 == 1 ? same : order)[l];
                for (std::int64_t e = chain.indptr[l]; e < chain.indptr[l + 1]; ++e)
                    logit[chain.indices[e]] += chain.values[e];
            }
            const std::int32_t* first = samples.indices.data() + samples.indptr[i * n + k];
            const std::int32_t* last = samples.indices.data() + samples.indptr[i * n + k + 1];
            CHECK(bits_of(first, last) == expected);
            CHECK(std::is_sorted(first, last));
        }
    const auto by_three = setwise::chain_samples(draws, n, drawn.data(), 3, kGoOn);
    CHECK(by_three.indptr == samples.indptr && by_three.indices == samples.indices);
}

TEST(a_stop_that_is_already_asked_for_returns_at_once) {
    const std::atomic<bool> stop{true};
    RandomChain chain(7, 5, 9);
    chain.add_every_set();
    CHECK(setwise::chain_log_prob({chain.chain(), chain.trie()}, chain.rows(), 2, stop).size() == 9 * 32);
    CHECK(setwise::chain_beams(chain.chain(), chain.rows(), 4, 2, stop).indices.empty());
}
