// Fits labels without an L1 part, several at once: they share the passes over the features, and nothing else.
#pragma once

#include <atomic>
#include <vector>

#include "setwise/binary.hpp"

namespace setwise {

// As fit_binary(), where l1_ratio is 0. A label's bits depend neither on the number of threads nor on the other labels.
template <class Values, class Loss>
std::vector<BinaryFit> fit_smooth(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop);

}  // namespace setwise
