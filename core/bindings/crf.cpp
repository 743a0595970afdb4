// The random field at the door: its likelihood, and what its distribution over the support says of documents.
#include "arrays.hpp"
#include "features.hpp"
#include "parts.hpp"
#include "setwise/label_sets.hpp"
#include "setwise/support_likelihood.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

WeighedSets with_scores(const LabelSets& sets, const In<double>& set_scores) {
    require(sets.n_sets() > 0, "There must be at least one set.");
    require(set_scores.shape(0) == static_cast<std::size_t>(sets.n_sets()), "There must be one score per set.");
    return {sets.columns(), set_scores.data()};
}

double set_operations(const WeighedSets& sets, std::size_t n_documents) {
    return times(n_documents, 2 * sets.labels.n_entries() + std::int64_t{10} * sets.labels.n_cols);
}

nb::tuple support_likelihood(const Features& features, const LabelSets& label_sets, In<double> set_scores,
                             In<std::int32_t> set_of, InMatrix<double> weights, In<double> intercept, int n_threads) {
    const WeighedSets sets = with_scores(label_sets, set_scores);
    const auto n_rows = static_cast<std::size_t>(features.n_rows());
    const auto n_cols = static_cast<std::size_t>(features.n_cols());
    const std::size_t stride = weights.shape(1);
    require(set_of.shape(0) == n_rows, "set_of must have one entry per document.");
    require(weights.shape(0) == n_cols, "weights must have one row per feature.");
    require(stride >= static_cast<std::size_t>(label_sets.n_labels()) && intercept.shape(0) == stride,
            "weights and intercept must have one column per label or more.");
    for (std::size_t i = 0; i < n_rows; ++i)
        require(set_of.data()[i] >= 0 && set_of.data()[i] < label_sets.n_sets(), "set_of must name sets.");
    const Effort effort{times(2, features.n_entries(), stride) + set_operations(sets, n_rows), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return features.visit([&](const auto& matrix) {
            return setwise::support_likelihood(matrix, sets, set_of.data(), static_cast<std::int64_t>(stride),
                                               weights.data(), intercept.data(), threads, stop);
        });
    });
    return nb::make_tuple(found.loss, give(std::move(found.weights), {n_cols, stride}),
                          give(std::move(found.intercept)), give(std::move(found.set_mass)));
}

nb::tuple support_sums(InMatrix<double> scores, const LabelSets& label_sets, In<double> bias, int n_threads) {
    const std::int32_t n_labels = label_sets.n_labels();
    require(scores.shape(1) == static_cast<std::size_t>(n_labels), "scores must have one column per label.");
    const WeighedSets sets = with_scores(label_sets, bias);
    const std::size_t n = scores.shape(0);
    std::vector<double> log_partition(n), expected(n * scores.shape(1));
    std::vector<std::int32_t> best(n);
    run_interruptibly({set_operations(sets, n), n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        sum_over_sets(sets, static_cast<std::int32_t>(n), n_labels, scores.data(),
                      {log_partition.data(), best.data(), expected.data()}, nullptr, threads, stop);
        return true;
    });
    return nb::make_tuple(give(std::move(log_partition)), give(std::move(best)),
                          give(std::move(expected), {n, scores.shape(1)}));
}

}  // namespace

void bind_crf(nb::module_& m) {
    m.def("support_likelihood", &support_likelihood, "features"_a, "sets"_a, "set_scores"_a, "set_of"_a, "weights"_a,
          "intercept"_a, "n_threads"_a);
    m.def("support_sums", &support_sums, "scores"_a, "sets"_a, "bias"_a, "n_threads"_a);
}

}  // namespace setwise::door
