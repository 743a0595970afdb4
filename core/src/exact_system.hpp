// Solves (H + l2 I) x = b exactly, in double precision, for few features and the intercept (which has no l2):
//
//     H = sum_i curvature_i x_i x_i'
//
// by Cholesky. The last resort for systems so ill-conditioned that sweeps crawl: its cost is cubic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"

namespace setwise {

template <class Values>
class ExactSystem {
  public:
    explicit ExactSystem(const FeatureMatrix<Values>& features) : X_(features.columns) {}

    // b comes in x (one value per feature of `which`, then the intercept's), and the solution leaves in it. Where the
    // system is singular it gets the least curvature that rounding allows: the solution then lies far out along its
    // valley.
    void solve(const std::vector<std::int32_t>& which, const double* curvature, double l2, std::vector<double>& x) {
        form(which, curvature, l2);
        factor();
        const std::size_t k = x.size();
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = 0; b < a; ++b) x[a] -= at(a, b) * x[b];
            x[a] = at(a, a) > 0.0 ? x[a] / at(a, a) : 0.0;
        }
        for (std::size_t a = k; a-- > 0;) {
            for (std::size_t b = a + 1; b < k; ++b) x[a] -= at(b, a) * x[b];
            x[a] = at(a, a) > 0.0 ? x[a] / at(a, a) : 0.0;
        }
    }

  private:
    static constexpr double kRounding = 1e-13;  // a pivot below this share of its diagonal is rounding

    double& at(std::size_t a, std::size_t b) { return matrix_[a * width_ + b]; }

    // The lower triangle.
    void form(const std::vector<std::int32_t>& which, const double* curvature, double l2) {
        const std::size_t m = which.size();
        width_ = m + 1;
        matrix_.assign(width_ * width_, 0.0);
        spread_.assign(X_.n_rows, 0.0);
        for (std::size_t a = 0; a < m; ++a) {
            const std::int32_t j = which[a];
            for (std::int64_t e = X_.begin(j); e < X_.end(j); ++e) {
                spread_[X_.indices[e]] = curvature[X_.indices[e]] * X_.values[e];
                at(m, a) += spread_[X_.indices[e]];
            }
            for (std::size_t b = a; b < m; ++b) at(b, a) = column_dot(X_, which[b], spread_.data());
            at(a, a) += l2;
            for (std::int64_t e = X_.begin(j); e < X_.end(j); ++e) spread_[X_.indices[e]] = 0.0;
        }
        for (std::int32_t i = 0; i < X_.n_rows; ++i) at(m, m) += curvature[i];
    }

    void factor() {
        for (std::size_t a = 0; a < width_; ++a) {
            const double whole = at(a, a);
            for (std::size_t b = 0; b <= a; ++b) {
                double rest = at(a, b);
                for (std::size_t c = 0; c < b; ++c) rest -= at(a, c) * at(b, c);
                if (b == a)
                    at(a, a) = std::sqrt(std::max(rest, kRounding * whole));
                else
                    at(a, b) = at(b, b) > 0.0 ? rest / at(b, b) : 0.0;
            }
        }
    }

    const Columns<Values>& X_;
    std::size_t width_ = 0;
    std::vector<double> matrix_, spread_;
};

}  // namespace setwise
