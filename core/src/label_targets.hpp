// The targets of one label, as the solvers read them: one value per document, and the columns it may use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"

namespace setwise {

inline void load_targets(const BinaryTargets& targets, std::int32_t label, std::vector<double>& y) {
    std::fill(y.begin(), y.end(), 0.0);
    for (std::int64_t e = targets.y.begin(label); e < targets.y.end(label); ++e)
        y[targets.y.indices[e]] = targets.y.values[e];
}

// The scores without any feature: intercept and offsets.
inline void load_scores(const BinaryTargets& targets, std::int32_t label, double intercept,
                        std::vector<double>& scores) {
    std::fill(scores.begin(), scores.end(), intercept);
    if (targets.offset == nullptr) return;
    const double* offset = targets.offset + label * targets.offset_stride;
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += offset[i];
}

// The columns that the label may use, in the order of the matrix. Where no label has a limit, those of the one before.
template <class Values>
void choose_columns(const FeatureMatrix<Values>& features, const BinaryTargets& targets, std::int32_t label,
                    std::vector<std::int32_t>& columns) {
    if (targets.column_limit == nullptr && !columns.empty()) return;
    const std::int32_t limit = targets.column_limit ? targets.column_limit[label] : features.columns.n_cols;
    columns.assign(features.caller_order, features.caller_order + limit);
    std::sort(columns.begin(), columns.end());
}

}  // namespace setwise
