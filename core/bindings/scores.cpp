// Linear scores at the door.
#include "arrays.hpp"
#include "parts.hpp"
#include "setwise/linear_scores.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

// Unlike `check_compressed`, it lets indices come in any order.
template <class Value>
Columns<const Value*> checked_rows(const In<std::int64_t>& indptr, const In<std::int32_t>& indices,
                                   const In<Value>& values, std::int32_t n_features) {
    require(indptr.shape(0) >= 1 && indptr.shape(0) < std::size_t{1} << 31, "indptr has the wrong length");
    require(values.shape(0) == indices.shape(0), "values and indices differ in length");
    const auto n = static_cast<std::int32_t>(indptr.shape(0) - 1);
    const std::int64_t* p = indptr.data();
    require(p[0] == 0 && p[n] == static_cast<std::int64_t>(indices.shape(0)), "indptr does not span indices");
    for (std::int32_t i = 0; i < n; ++i) require(p[i] <= p[i + 1], "indptr falls");
    const std::int32_t* j = indices.data();
    for (std::int64_t e = 0; e < p[n]; ++e) require(j[e] >= 0 && j[e] < n_features, "indices out of range");
    return {n_features, n, p, j, values.data()};
}

template <class Value>
Out<double> linear_scores(In<std::int64_t> x_indptr, In<std::int32_t> x_indices, In<Value> x_values,
                          In<std::int64_t> w_indptr, In<std::int32_t> w_indices, In<double> w_values,
                          In<double> intercept, std::int32_t n_features) {
    require(n_features >= 1, "there must be a feature");
    const auto documents = checked_rows(x_indptr, x_indices, x_values, n_features);
    const auto weights = checked_rows(w_indptr, w_indices, w_values, n_features);
    const auto n = static_cast<std::size_t>(documents.n_cols), n_labels = static_cast<std::size_t>(weights.n_cols);
    require(intercept.shape(0) == n_labels, "intercept must have one value a label");
    const double weights_per_feature = times(w_indices.shape(0)) / n_features;
    const double operations = times(x_indices.shape(0)) * (1.0 + weights_per_feature) + times(n, n_labels) +
                              2.0 * times(w_indices.shape(0)) + n_features;
    auto found = run_interruptibly({operations}, [&](const std::atomic<bool>& stop, int) {
        std::vector<double> out(n * n_labels);
        setwise::linear_scores(documents, weights, intercept.data(), stop, out.data());
        return out;
    });
    return give(std::move(found), {n, n_labels});
}

}  // namespace

void bind_scores(nb::module_& m) {
    m.def("linear_scores", &linear_scores<float>, "x_indptr"_a, "x_indices"_a, "x_values"_a.noconvert(), "w_indptr"_a,
          "w_indices"_a, "w_values"_a, "intercept"_a, "n_features"_a);
    m.def("linear_scores", &linear_scores<double>, "x_indptr"_a, "x_indices"_a, "x_values"_a, "w_indptr"_a,
          "w_indices"_a, "w_values"_a, "intercept"_a, "n_features"_a);
}

}  // namespace setwise::door
