// One step of Adam (Kingma and Ba 2015): gradient steps scaled by running means of each coordinate's gradient and its
// square.
#pragma once

#include <cstdint>

namespace setwise {

struct AdamRule {
    double decay_of_mean, decay_of_square;  // how much of both running means a step keeps
    double rate;                            // the learning rate, without the bias of the mean towards its start at zero
    double root;                            // undoes that bias of the root of the mean square
    double least_root;                      // added to that root, so that no step divides by zero
};

// Moves n parameters, and both running means, in one pass over memory: there are far more of them than a cache holds.
template <class Real>
void adam_step(std::int64_t n, const AdamRule& rule, const Real* gradient, Real* parameter, Real* mean, Real* square);

}  // namespace setwise
