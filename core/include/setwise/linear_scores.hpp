// Documents times weights where both are sparse.
#pragma once

#include <atomic>
#include <cstdint>

#include "setwise/matrix.hpp"

namespace setwise {

// out[i, l] = sum_j x_ij w_lj + intercept_l, documents x labels. "Column" i of `documents` is document i and "column" l
// of `weights` is label l; the rows of either are features, which need not rise and may repeat. Value is `float` or
// `double`. A document's bits depend on nothing but its own numbers.
template <class Value>
void linear_scores(const Columns<const Value*>& documents, const Columns<const double*>& weights,
                   const double* intercept, const std::atomic<bool>& stop, double* out);

}  // namespace setwise
