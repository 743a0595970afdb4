#include "setwise/linear_scores.hpp"

#include <algorithm>
#include <utility>

namespace setwise {

LinearWeights::LinearWeights(const Columns<const double*>& weights, std::vector<double> intercept)
    : first_(weights.n_rows + std::size_t{1}, 0), intercept_(std::move(intercept)) {
    const std::int64_t n = weights.indptr[weights.n_cols];
    for (std::int64_t e = 0; e < n; ++e) ++first_[weights.indices[e] + std::size_t{1}];
    for (std::size_t j = 1; j < first_.size(); ++j) first_[j] += first_[j - 1];
    weights_.resize(n);
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    for (std::int32_t l = 0; l < weights.n_cols; ++l)
        for (std::int64_t e = weights.begin(l); e < weights.end(l); ++e)
            weights_[next[weights.indices[e]]++] = {l, weights.values[e]};
}

template <class Value>
void linear_scores(const LinearWeights& weights, const Columns<const Value*>& documents, const std::atomic<bool>& stop,
                   double* out) {
    const std::int32_t n_labels = weights.n_labels();
    const double* intercept = weights.intercept().data();
    for (std::int32_t i = 0; i < documents.n_cols && !stop; ++i, out += n_labels) {
        std::fill_n(out, n_labels, 0.0);
        for (std::int64_t e = documents.begin(i); e < documents.end(i); ++e) {
            const double x = documents.values[e];
            const LinearWeights::Weight* end = weights.end(documents.indices[e]);
            for (auto* w = weights.begin(documents.indices[e]); w != end; ++w) out[w->label] += x * w->value;
        }
        for (std::int32_t l = 0; l < n_labels; ++l) out[l] += intercept[l];
    }
}

template void linear_scores(const LinearWeights&, const Columns<const float*>&, const std::atomic<bool>&, double*);
template void linear_scores(const LinearWeights&, const Columns<const double*>&, const std::atomic<bool>&, double*);

}  // namespace setwise
