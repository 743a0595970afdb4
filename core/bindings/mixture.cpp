// Mixtures of independent labels at the door.
#include "setwise/mixture.hpp"

#include <limits>

#include "arrays.hpp"
#include "features.hpp"
#include "parts.hpp"
#include "setwise/own_log_prob.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

setwise::Mixture checked_mixture(const InCube<double>& logits, const InMatrix<double>& log_gate) {
    require(logits.shape(1) >= 1 && logits.shape(2) >= 1, "logits must have a component and a label");
    require(log_gate.shape(0) == logits.shape(0) && log_gate.shape(1) == logits.shape(1), "logits and gates differ");
    return {static_cast<std::int64_t>(logits.shape(0)), static_cast<std::int32_t>(logits.shape(1)),
            static_cast<std::int32_t>(logits.shape(2)), logits.data(), log_gate.data()};
}

Out<double> mixture_log_prob(InCube<double> logits, InMatrix<double> log_gate, const LabelSets& sets, int n_threads) {
    const auto mixture = checked_mixture(logits, log_gate);
    require(mixture.n_labels == sets.n_labels(), "logits and sets differ in their number of labels.");
    const auto n_sets = static_cast<std::size_t>(sets.n_sets());
    const auto n_entries = static_cast<std::size_t>(sets.n_entries());
    const Effort effort{times(logits.shape(0), logits.shape(1), n_entries + n_sets + 20 * logits.shape(2)), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        RawVector<double> out(logits.shape(0) * n_sets);
        setwise::mixture_log_prob(mixture, sets, threads, stop, out.data());
        return out;
    });
    return give(std::move(found), {logits.shape(0), n_sets});
}

nb::tuple mixture_size_marginals(InCube<double> logits, InMatrix<double> log_gate, int max_size, int n_threads) {
    const auto mixture = checked_mixture(logits, log_gate);
    require(max_size >= 0 && max_size <= mixture.n_labels, "max_size must lie between 0 and the number of labels");
    const std::size_t n = logits.shape(0), n_labels = logits.shape(2), n_sizes = static_cast<std::size_t>(max_size);
    const Effort effort{times(4, n, logits.shape(1), n_labels, n_sizes + 5), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        std::pair<std::vector<double>, std::vector<double>> out(n * n_labels * n_sizes, n);
        setwise::mixture_size_marginals(mixture, max_size, threads, stop, out.first.data(), out.second.data());
        return out;
    });
    return nb::make_tuple(give(std::move(found.first), {n, n_labels, n_sizes}), give(std::move(found.second)));
}

nb::tuple mixture_mode(InCube<double> logits, InMatrix<double> log_gate, std::int64_t max_steps, int n_threads,
                       bool non_empty) {
    const auto mixture = checked_mixture(logits, log_gate);
    require(max_steps >= 0, "max_steps must be zero or above");
    // One component has its mode at once; how long a search over several takes nobody knows.
    const double one = times(20, logits.shape(0), logits.shape(2));
    const Effort effort{logits.shape(1) == 1 ? one : std::numeric_limits<double>::infinity(), n_threads};
    const auto modes = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::mixture_mode(mixture, non_empty, max_steps, threads, stop);
    });
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<double> log_prob;
    auto* exact = new bool[modes.size()];  // no std::vector: of bool it packs bits
    nb::capsule owner(exact, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    for (const auto& mode : modes) {
        indices.insert(indices.end(), mode.labels.begin(), mode.labels.end());
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
        exact[log_prob.size()] = mode.exact;
        log_prob.push_back(mode.log_prob);
    }
    return nb::make_tuple(give(std::move(indptr)), give(std::move(indices)), give(std::move(log_prob)),
                          Out<bool>(exact, {modes.size()}, owner));
}

Out<double> own_log_prob(const Features& features, const LabelSets& sets, InMatrix<double> weights,
                         In<double> intercept, int n_threads) {
    const std::size_t stride = weights.shape(1);
    require(sets.n_sets() == features.n_rows(), "There must be one set per document.");
    require(weights.shape(0) == static_cast<std::size_t>(features.n_cols()), "weights must have one row per feature.");
    require(stride >= static_cast<std::size_t>(sets.n_labels()) && intercept.shape(0) == stride,
            "weights and intercept must have one column per label or more.");
    const Effort effort{times(stride, features.n_entries() + 20 * static_cast<std::size_t>(features.n_rows())),
                        n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        std::vector<double> out(features.n_rows());
        features.visit([&](const auto& matrix) {
            setwise::own_log_prob(matrix, sets, static_cast<std::int64_t>(stride), weights.data(), intercept.data(),
                                  threads, stop, out.data());
        });
        return out;
    });
    return give(std::move(found));
}

}  // namespace

void bind_mixture(nb::module_& m) {
    m.def("mixture_log_prob", &mixture_log_prob, "logits"_a, "log_gate"_a, "sets"_a, "n_threads"_a);
    m.def("mixture_size_marginals", &mixture_size_marginals, "logits"_a, "log_gate"_a, "max_size"_a, "n_threads"_a);
    m.def("mixture_mode", &mixture_mode, "logits"_a, "log_gate"_a, "max_steps"_a, "n_threads"_a, "non_empty"_a = false);
    m.def("own_log_prob", &own_log_prob, "features"_a, "sets"_a, "weights"_a, "intercept"_a, "n_threads"_a);
}

}  // namespace setwise::door
