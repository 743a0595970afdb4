// How probable independent labels find what each document has: scores and their likelihood in one pass.
#pragma once

#include <atomic>
#include <cstdint>

#include "setwise/binary.hpp"
#include "setwise/label_sets.hpp"

namespace setwise {

// out[i] = sum_{l in own_i} z_l - sum_l log(1 + e^{z_l}),  z = W'x_i + b. Set i of `own` has the labels of document
// i. `weights` are features x stride, in the order of the matrix's columns, and what lies beyond the labels is
// zero; no matrix of scores is ever held.
template <class Values>
void own_log_prob(const FeatureMatrix<Values>& features, const LabelSets& own, std::int64_t stride,
                  const double* weights, const double* intercept, int n_threads, const std::atomic<bool>& stop,
                  double* out);

}  // namespace setwise
