// Documents times weights where both are sparse.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "setwise/matrix.hpp"
#include "setwise/raw_vector.hpp"

namespace setwise {

// The weights of linear models by feature, laid out once for any number of documents. Features with weights for many of
// the labels have a row of all labels, the others a list: to add a row, nothing is looked up. There are no more rows
// than stay in a cache.
class LinearWeights {
  public:
    struct Weight {
        std::int32_t label;
        double value;
    };

    // Labels of rows are padded with zeros to a multiple of this.
    static constexpr std::int32_t kPad = 16;

    // "Column" l of `weights` is label l; its rows are features, which need not rise and may repeat. `intercept` has
    // one value per label.
    LinearWeights(const Columns<const double*>& weights, std::vector<double> intercept);

    std::int32_t n_features() const { return static_cast<std::int32_t>(first_.size()) - 1; }
    std::int32_t n_labels() const { return static_cast<std::int32_t>(intercept_.size()); }
    // Products that a document with all features takes.
    std::size_t n_weights() const { return weights_.size() + rows_.size(); }

    // The weights of one feature without a row, labels rising.
    const Weight* begin(std::int32_t feature) const { return weights_.data() + first_[feature]; }
    const Weight* end(std::int32_t feature) const { return weights_.data() + first_[feature + std::size_t{1}]; }

    // The row of a feature, or null where it has a list.
    const double* row(std::int32_t feature) const {
        return row_of_[feature] < 0 ? nullptr : rows_.data() + static_cast<std::size_t>(row_of_[feature]) * stride();
    }
    std::int32_t stride() const { return (n_labels() + kPad - 1) / kPad * kPad; }

    const std::vector<double>& intercept() const { return intercept_; }

  private:
    std::vector<std::int32_t> row_of_;
    LaneVector rows_;
    std::vector<std::int64_t> first_;
    std::vector<Weight> weights_;
    std::vector<double> intercept_;
};

// out[i, l] = sum_j x_ij w_lj + intercept_l, documents x labels, the features with rows before the others. "Column" i
// of `documents` is document i; its rows are features, which need not rise and may repeat. Value is `float` or
// `double`. A document's bits depend on nothing but its own numbers.
template <class Value>
void linear_scores(const LinearWeights& weights, const Columns<const Value*>& documents, const std::atomic<bool>& stop,
                   double* out);

}  // namespace setwise
