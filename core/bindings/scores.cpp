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
Out<double> linear_scores(const LinearWeights& weights, In<std::int64_t> indptr, In<std::int32_t> indices,
                          In<Value> values) {
    const auto documents = checked_rows(indptr, indices, values, weights.n_features());
    const auto n = static_cast<std::size_t>(documents.n_cols), n_labels = static_cast<std::size_t>(weights.n_labels());
    const double weights_per_feature = times(weights.n_weights()) / weights.n_features();
    const double operations = times(indices.shape(0)) * (1.0 + weights_per_feature) + times(n, n_labels);
    auto found = run_interruptibly({operations}, [&](const std::atomic<bool>& stop, int) {
        std::vector<double> out(n * n_labels);
        setwise::linear_scores(weights, documents, stop, out.data());
        return out;
    });
    return give(std::move(found), {n, n_labels});
}

}  // namespace

void bind_scores(nb::module_& m) {
    nb::class_<LinearWeights>(m, "LinearWeights")
        .def(
            "__init__",
            [](LinearWeights* weights, In<std::int64_t> indptr, In<std::int32_t> indices, In<double> values,
               In<double> intercept, std::int32_t n_features) {
                require(n_features >= 1, "there must be a feature");
                const auto columns = checked_rows(indptr, indices, values, n_features);
                require(intercept.shape(0) == static_cast<std::size_t>(columns.n_cols),
                        "intercept must have one value a label");
                new (weights) LinearWeights(columns, as_vector(intercept));
            },
            "indptr"_a, "indices"_a, "values"_a, "intercept"_a, "n_features"_a)
        .def("scores", &linear_scores<float>, "indptr"_a, "indices"_a, "values"_a.noconvert())
        .def("scores", &linear_scores<double>, "indptr"_a, "indices"_a, "values"_a);
}

}  // namespace setwise::door
