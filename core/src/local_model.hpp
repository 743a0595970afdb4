// The problem around the current point, as a Newton direction sees it.
#pragma once

#include "setwise/penalty.hpp"

namespace setwise {

struct LocalModel {
    ElasticNet penalty;
    const double* weights;   // a feature each
    const double* gradient;  // a feature each
    double intercept_gradient;
    const double* curvature;  // a document each
};

}  // namespace setwise
