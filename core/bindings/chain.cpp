// Classifier chains: probabilities of sets, beams, samples.
#include "setwise/chain.hpp"

#include <limits>

#include "arrays.hpp"
#include "parts.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();

ScoreRows checked_scores(const Chain& chain, const InMatrix<double>& scores) {
    require(scores.shape(0) <= kMost && scores.shape(1) == static_cast<std::size_t>(chain.n_labels()),
            "scores must have one column per label of the chain.");
    return {static_cast<std::int32_t>(scores.shape(0)), chain.n_labels(), scores.data()};
}

Out<double> log_prob(const ChainPlan& plan, InMatrix<double> scores, int n_threads) {
    const Chain& chain = plan.chain();
    const ChainTrie& trie = plan.trie();
    const auto rows = checked_scores(chain, scores);
    const Effort effort{times(10, scores.shape(0), trie.n_entries() + trie.n_sets() + 1 + chain.n_labels()), n_threads};
    auto out = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_log_prob(plan, rows, threads, stop);
    });
    return give(std::move(out), {scores.shape(0), static_cast<std::size_t>(trie.n_sets())});
}

Out<double> log_prob_each(const Chain& chain, InMatrix<double> scores, const LabelSets& sets, In<std::int32_t> document,
                          int n_threads) {
    const auto rows = checked_scores(chain, scores);
    require(sets.n_labels() == chain.n_labels(), "The chain and the sets differ in their number of labels.");
    require(document.shape(0) == static_cast<std::size_t>(sets.n_sets()), "document must have one entry per set.");
    for (std::size_t k = 0; k < document.shape(0); ++k)
        require(document.data()[k] >= 0 && document.data()[k] < rows.n_rows, "document must name rows of scores.");
    const Effort effort{times(20, sets.n_sets() + 1, scores.shape(1)), n_threads};
    return give(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_log_prob_each(chain, rows, sets, document.data(), threads, stop);
    }));
}

nb::tuple beams(const Chain& chain, InMatrix<double> scores, std::int32_t width, int n_threads) {
    const auto rows = checked_scores(chain, scores);
    require(width >= 1, "width must be 1 or more.");
    const Effort effort{times(20, scores.shape(0), scores.shape(1), width), n_threads};
    auto result = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_beams(chain, rows, width, threads, stop);
    });
    return nb::make_tuple(give(std::move(result.first)), give(std::move(result.indptr)),
                          give(std::move(result.indices)), give(std::move(result.pruned)));
}

// The samples that each chain draws, rising.
std::vector<std::vector<std::int32_t>> by_chain(std::size_t n_chains, const In<std::int32_t>& picked) {
    std::vector<std::vector<std::int32_t>> samples(n_chains);
    for (std::size_t k = 0; k < picked.shape(0); ++k) {
        const std::int32_t chain = picked.data()[k];
        require(chain >= 0 && static_cast<std::size_t>(chain) < n_chains, "picked must name chains.");
        samples[chain].push_back(static_cast<std::int32_t>(k));
    }
    return samples;
}

nb::tuple chain_samples(const std::vector<const Chain*>& chains, InMatrix<std::int32_t> orders,
                        const std::vector<InMatrix<double>>& scores, In<std::int32_t> picked, InMatrix<double> uniform,
                        int n_threads) {
    require(!chains.empty() && scores.size() == chains.size() && orders.shape(0) == chains.size(),
            "There must be a chain, and an order and scores for each.");
    const auto n_labels = static_cast<std::size_t>(chains.front()->n_labels());
    require(orders.shape(1) == n_labels, "orders must have one column per label of the chains.");
    require(uniform.shape(0) == picked.shape(0) && uniform.shape(0) <= kMost && uniform.shape(1) == n_labels,
            "uniform must have one row per sample and one column per label.");
    for (std::size_t e = 0; e < orders.size(); ++e)
        require(orders.data()[e] >= 0 && static_cast<std::size_t>(orders.data()[e]) < n_labels,
                "orders must name labels.");
    auto samples = by_chain(chains.size(), picked);
    std::vector<ChainDraws> draws;
    for (std::size_t m = 0; m < chains.size(); ++m) {
        const auto rows = checked_scores(*chains[m], scores[m]);
        require(scores[m].shape(0) == scores[0].shape(0) && scores[m].shape(1) == n_labels,
                "scores must have the same shape for every chain.");
        draws.push_back({chains[m], orders.data() + m * n_labels, rows, std::move(samples[m])});
    }
    const Effort effort{times(scores[0].shape(0), uniform.shape(0), n_labels), n_threads};
    auto drawn = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::chain_samples(draws, static_cast<std::int32_t>(uniform.shape(0)), uniform.data(), threads,
                                      stop);
    });
    return nb::make_tuple(give(std::move(drawn.indptr)), give(std::move(drawn.indices)));
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<ChainTrie>(m, "ChainTrie")
        .def(
            "__init__",
            [](ChainTrie* trie, const LabelSets& sets, In<std::int32_t> order) {
                new (trie) ChainTrie(sets, as_span(order));
            },
            "sets"_a, "order"_a)
        .def_prop_ro("n_sets", &ChainTrie::n_sets)
        .def_prop_ro("n_labels", &ChainTrie::n_labels);
    nb::class_<Chain>(m, "Chain")
        .def(
            "__init__",
            [](Chain* chain, In<std::int64_t> indptr, In<std::int32_t> indices, In<double> values) {
                new (chain) Chain(as_vector(indptr), as_vector(indices), as_vector(values));
            },
            "indptr"_a, "indices"_a, "values"_a)
        .def("log_prob_each", &log_prob_each, "scores"_a, "sets"_a, "document"_a, "n_threads"_a)
        .def("beams", &beams, "scores"_a, "width"_a, "n_threads"_a);
    m.def("chain_samples", &chain_samples, "chains"_a, "orders"_a, "scores"_a, "picked"_a, "uniform"_a, "n_threads"_a);
    nb::class_<ChainPlan>(m, "ChainPlan")
        .def(
            "__init__",
            [](ChainPlan* plan, const Chain& chain, const ChainTrie& trie) {
                require(trie.n_labels() == chain.n_labels(),
                        "The chain and the trie differ in their number of labels.");
                new (plan) ChainPlan(chain, trie);
            },
            "chain"_a, "trie"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("log_prob", &log_prob, "scores"_a, "n_threads"_a);
}

}  // namespace setwise::door
