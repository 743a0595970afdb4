// The random field at the door: its likelihood, and what its distribution over the support says of documents.
#include "arrays.hpp"
#include "features.hpp"
#include "parts.hpp"
#include "setwise/support_likelihood.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

WeighedSets view_sets(std::int32_t n_labels, const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                      const In<double>& bias) {
    const auto n_sets = static_cast<std::int32_t>(bias.shape(0));
    require(n_sets > 0, "there are no sets");
    check_compressed(indptr, indices, indices.shape(0), n_sets, n_labels);
    return {{n_labels, n_sets, indptr.data(), indices.data(), Ones{}}, bias.data()};
}

double set_operations(const WeighedSets& sets, std::size_t n_documents) {
    return times(n_documents, 2 * sets.labels.n_entries() + std::int64_t{10} * sets.labels.n_cols);
}

nb::tuple support_likelihood(const Features& features, std::int32_t n_labels, In<std::int64_t> set_indptr,
                             In<std::int32_t> set_indices, In<double> set_bias, In<std::int32_t> own_set,
                             InMatrix<double> weights, In<double> intercept, int n_threads) {
    const WeighedSets sets = view_sets(n_labels, set_indptr, set_indices, set_bias);
    const auto n_rows = static_cast<std::size_t>(features.n_rows());
    const auto n_cols = static_cast<std::size_t>(features.n_cols());
    const std::size_t stride = weights.shape(1);
    require(own_set.shape(0) == n_rows && weights.shape(0) == n_cols, "features, sets and weights differ");
    require(stride >= static_cast<std::size_t>(n_labels) && intercept.shape(0) == stride, "weights are too narrow");
    for (std::size_t i = 0; i < n_rows; ++i)
        require(own_set.data()[i] >= 0 && own_set.data()[i] < sets.labels.n_cols, "own_set is out of range");
    const Effort effort{times(2, features.n_entries(), stride) + set_operations(sets, n_rows), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return features.visit([&](const auto& matrix) {
            return setwise::support_likelihood(matrix, sets, own_set.data(), static_cast<std::int64_t>(stride),
                                               weights.data(), intercept.data(), threads, stop);
        });
    });
    return nb::make_tuple(found.loss, give(std::move(found.weights), {n_cols, stride}),
                          give(std::move(found.intercept)), give(std::move(found.set_mass)));
}

nb::tuple support_sums(InMatrix<double> scores, In<std::int64_t> set_indptr, In<std::int32_t> set_indices,
                       In<double> set_bias, int n_threads) {
    const auto n_labels = static_cast<std::int32_t>(scores.shape(1));
    const WeighedSets sets = view_sets(n_labels, set_indptr, set_indices, set_bias);
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
    m.def("support_likelihood", &support_likelihood, "features"_a, "n_labels"_a, "set_indptr"_a, "set_indices"_a,
          "set_bias"_a, "own_set"_a, "weights"_a, "intercept"_a, "n_threads"_a);
    m.def("support_sums", &support_sums, "scores"_a, "set_indptr"_a, "set_indices"_a, "set_bias"_a, "n_threads"_a);
}

}  // namespace setwise::door
