// The problem around the current point, as a Newton direction sees it.
#pragma once

namespace setwise {

struct LocalModel {
    const double* weights;   // a feature each
    const double* gradient;  // a feature each
    double intercept_gradient;
    const double* curvature;  // a document each
};

}  // namespace setwise
