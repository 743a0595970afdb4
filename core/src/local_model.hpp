// The problem around the current point, as a Newton direction sees it.
#pragma once

#include "setwise/penalty.hpp"

namespace setwise {

struct LocalModel {
    ElasticNet penalty;
    const double* weights;   // one per feature
    const double* gradient;  // one per feature
    double intercept_gradient;
    const double* curvature;  // one per document
};

}  // namespace setwise
