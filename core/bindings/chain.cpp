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

nb::tuple samples(const Chain& chain, In<double> score, InMatrix<double> uniform) {
    const auto n_labels = static_cast<std::size_t>(chain.n_labels());
    require(score.shape(0) == n_labels && uniform.shape(1) == n_labels && uniform.shape(0) <= kMost,
            "score and uniform must have the shape of one column per label of the chain.");
    setwise::Samples drawn;
    {
        nb::gil_scoped_release unlocked;
        drawn =
            setwise::chain_samples(chain, score.data(), static_cast<std::int32_t>(uniform.shape(0)), uniform.data());
    }
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
        .def("beams", &beams, "scores"_a, "width"_a, "n_threads"_a)
        .def("samples", &samples, "score"_a, "uniform"_a);
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
