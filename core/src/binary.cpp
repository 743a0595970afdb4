#include "setwise/binary.hpp"

#include <algorithm>

#include "setwise/losses.hpp"
#include "setwise/parallel.hpp"
#include "smooth_solver.hpp"
#include "sparse_solver.hpp"

namespace setwise {
namespace {

template <class Values, class Loss>
std::vector<BinaryFit> fit_sparse(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop) {
    const std::int32_t n_labels = targets.y.n_cols;
    const std::size_t n_fits = options.path.size() + 1;
    std::vector<BinaryFit> fits(n_labels * n_fits);
    share_out(options.n_threads, n_labels, 1, [&](Items& items) {
        SparseSolver<Values, Loss> solver(features, targets, start, options, stop);
        for (const std::int64_t label : items)
            if (!stop) solver.fit(static_cast<std::int32_t>(label), &fits[label * n_fits]);
    });
    return fits;
}

// Where curvature jumps and there is no L1 part, a direction is worth the more the better it is solved, from the first
// iterations on.
template <class Loss>
SolverOptions options_for(SolverOptions options) {
    if (Loss::kHasFlatPart && options.l1_ratio == 0.0) {
        options.inner_ratio = std::min(options.inner_ratio, 0.01);
        options.far_iterations = std::min(options.far_iterations, 5);
    }
    return options;
}

}  // namespace

template <class Values>
std::vector<BinaryFit> fit_binary(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop) {
    return with_loss(targets.loss, [&]<class Loss>(Loss) {
        const SolverOptions tuned = options_for<Loss>(options);
        if (options.l1_ratio == 0.0) return fit_smooth<Values, Loss>(features, targets, start, tuned, stop);
        return fit_sparse<Values, Loss>(features, targets, start, tuned, stop);
    });
}

template std::vector<BinaryFit> fit_binary(const FeatureMatrix<Ones>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const float*>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const double*>&, const BinaryTargets&,
                                           const BinaryStart&, const SolverOptions&, const std::atomic<bool>&);

}  // namespace setwise
