#include "setwise/own_log_prob.hpp"

#include <algorithm>
#include <vector>

#include "class_kernels.hpp"
#include "setwise/logistic.hpp"
#include "setwise/parallel.hpp"

namespace setwise {
template <class Values>
void own_log_prob(const FeatureMatrix<Values>& features, const LabelSets& own_sets, std::int64_t stride,
                  const double* weights, const double* intercept, int n_threads, const std::atomic<bool>& stop,
                  double* out) {
    const std::int32_t n = features.rows.n_cols;
    const Columns<Ones> own = own_sets.columns();
    share_out(n_threads, n, 64, [&](Items& items) {
        std::vector<double> z(stride);
        for (const std::int64_t at : items) {
            if (stop) continue;
            const auto i = static_cast<std::int32_t>(at);
            std::copy(intercept, intercept + stride, z.begin());
            column_times(features.rows, i, static_cast<std::int32_t>(stride), weights, z.data());
            out[i] = -sum_softplus(own.n_rows, z.data());
            for (std::int64_t e = own.begin(i); e < own.end(i); ++e) out[i] += z[own.indices[e]];
        }
    });
}

template void own_log_prob(const FeatureMatrix<Ones>&, const LabelSets&, std::int64_t, const double*, const double*,
                           int, const std::atomic<bool>&, double*);
template void own_log_prob(const FeatureMatrix<const float*>&, const LabelSets&, std::int64_t, const double*,
                           const double*, int, const std::atomic<bool>&, double*);
template void own_log_prob(const FeatureMatrix<const double*>&, const LabelSets&, std::int64_t, const double*,
                           const double*, int, const std::atomic<bool>&, double*);

}  // namespace setwise
