#include <algorithm>
#include <cmath>
#include <numeric>

#include "label_targets.hpp"
#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/losses.hpp"
#include "setwise/parallel.hpp"

namespace setwise {
namespace {

// The root of a rising function by Newton's method, kept inside a bracket that each value narrows.
class InterceptSearch {
  public:
    double next(double intercept, double gradient, double curvature) {
        (gradient > 0.0 ? high_ : low_) = intercept;
        const double newton = intercept - gradient / curvature;
        if (low_ < newton && newton < high_) return newton;
        if (std::isinf(low_)) return intercept - kWidening;
        if (std::isinf(high_)) return intercept + kWidening;
        return 0.5 * (low_ + high_);
    }

  private:
    static constexpr double kWidening = 4.0;  // logits; used until both ends of the bracket are known
    double low_ = -INFINITY, high_ = INFINITY;
};

template <class Loss, class Values>
std::vector<NullModel> null_models_with(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                        int n_threads, const std::atomic<bool>& stop) {
    constexpr int kMaxSteps = 200;   // the bracket alone halves itself to rounding in fewer
    constexpr double kFlat = 1e-15;  // gradient of a mean loss that is zero to rounding
    const Columns<Values>& X = features.columns;
    const std::int32_t n = X.n_rows;
    std::vector<NullModel> models(targets.y.n_cols);
    share_out(n_threads, targets.y.n_cols, 1, [&](Items& items) {
        std::vector<double> y(n), scores(n), residual(n), curvature(n);
        std::vector<std::int32_t> columns;
        for (const std::int64_t at : items) {
            if (stop) continue;
            const auto label = static_cast<std::int32_t>(at);
            std::fill(y.begin(), y.end(), 0.0);
            double present = 0.0, missing = 0.0;  // each summed by itself: one minus the other would lose the smaller
            for (std::int64_t e = targets.y.begin(label); e < targets.y.end(label); ++e) {
                y[targets.y.indices[e]] = targets.y.values[e];
                present += targets.weight[targets.y.indices[e]] * targets.y.values[e];
            }
            for (std::int32_t i = 0; i < n; ++i) missing += targets.weight[i] * (1.0 - y[i]);
            double intercept = Loss::null_intercept(present, missing);
            InterceptSearch search;
            for (int step = 0; step < kMaxSteps; ++step) {
                for (std::int32_t i = 0; i < n; ++i)
                    scores[i] = intercept + (targets.offset ? targets.offset[label * targets.offset_stride + i] : 0.0);
                Loss::mean_and_derivatives(n, scores.data(), y.data(), targets.weight, residual.data(),
                                           curvature.data());
                const double gradient = std::accumulate(residual.begin(), residual.end(), 0.0);
                if (std::abs(gradient) <= kFlat) break;
                const double total = std::accumulate(curvature.begin(), curvature.end(), 0.0);
                const double next = search.next(intercept, gradient, total);
                if (next == intercept) break;
                intercept = next;
            }
            double peak = 0.0;
            choose_columns(features, targets, label, columns);
            for (const std::int32_t j : columns) peak = std::max(peak, std::abs(column_dot(X, j, residual.data())));
            models[label] = {intercept, peak};
        }
    });
    return models;
}

}  // namespace

template <class Values>
std::vector<NullModel> null_models(const FeatureMatrix<Values>& features, const BinaryTargets& targets, int n_threads,
                                   const std::atomic<bool>& stop) {
    return with_loss(targets.loss,
                     [&]<class Loss>(Loss) { return null_models_with<Loss>(features, targets, n_threads, stop); });
}

template std::vector<NullModel> null_models(const FeatureMatrix<Ones>&, const BinaryTargets&, int,
                                            const std::atomic<bool>&);
template std::vector<NullModel> null_models(const FeatureMatrix<const float*>&, const BinaryTargets&, int,
                                            const std::atomic<bool>&);
template std::vector<NullModel> null_models(const FeatureMatrix<const double*>&, const BinaryTargets&, int,
                                            const std::atomic<bool>&);

}  // namespace setwise
