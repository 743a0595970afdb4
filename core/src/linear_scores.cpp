#include "setwise/linear_scores.hpp"

#include <algorithm>
#include <vector>

namespace setwise {
namespace {

struct Weight {
    std::int32_t label;
    double value;
};

// The same weights by feature, labels rising within one.
class ByFeature {
  public:
    explicit ByFeature(const Columns<const double*>& weights) : first_(weights.n_rows + std::size_t{1}, 0) {
        const std::int64_t n = weights.indptr[weights.n_cols];
        for (std::int64_t e = 0; e < n; ++e) ++first_[weights.indices[e] + std::size_t{1}];
        for (std::size_t j = 1; j < first_.size(); ++j) first_[j] += first_[j - 1];
        weights_.resize(n);
        std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
        for (std::int32_t l = 0; l < weights.n_cols; ++l)
            for (std::int64_t e = weights.begin(l); e < weights.end(l); ++e)
                weights_[next[weights.indices[e]]++] = {l, weights.values[e]};
    }

    const Weight* begin(std::int32_t feature) const { return weights_.data() + first_[feature]; }
    const Weight* end(std::int32_t feature) const { return weights_.data() + first_[feature + std::size_t{1}]; }

  private:
    std::vector<std::int64_t> first_;
    std::vector<Weight> weights_;
};

}  // namespace

template <class Value>
void linear_scores(const Columns<const Value*>& documents, const Columns<const double*>& weights,
                   const double* intercept, const std::atomic<bool>& stop, double* out) {
    const ByFeature by_feature(weights);
    const std::int32_t n_labels = weights.n_cols;
    for (std::int32_t i = 0; i < documents.n_cols && !stop; ++i, out += n_labels) {
        std::fill_n(out, n_labels, 0.0);
        for (std::int64_t e = documents.begin(i); e < documents.end(i); ++e) {
            const double x = documents.values[e];
            const std::int32_t j = documents.indices[e];
            for (const Weight* w = by_feature.begin(j); w != by_feature.end(j); ++w) out[w->label] += x * w->value;
        }
        for (std::int32_t l = 0; l < n_labels; ++l) out[l] += intercept[l];
    }
}

template void linear_scores(const Columns<const float*>&, const Columns<const double*>&, const double*,
                            const std::atomic<bool>&, double*);
template void linear_scores(const Columns<const double*>&, const Columns<const double*>&, const double*,
                            const std::atomic<bool>&, double*);

}  // namespace setwise
