#include "setwise/binary.hpp"

#include "setwise/losses.hpp"
#include "setwise/parallel.hpp"
#include "smooth_solver.hpp"
#include "sparse_solver.hpp"

namespace setwise {
namespace {

template <class Solver, class Values>
std::vector<BinaryFit> fit_with(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                const BinaryStart& start, const SolverOptions& options, const std::atomic<bool>& stop) {
    const std::int32_t n_labels = targets.y.n_cols;
    const std::size_t n_fits = options.path.size() + 1;
    std::vector<BinaryFit> fits(n_labels * n_fits);
    share_out(options.n_threads, n_labels, 1, [&](Items& items) {
        Solver solver(features, targets, start, options, stop);
        for (const std::int64_t label : items)
            if (!stop) solver.fit(static_cast<std::int32_t>(label), &fits[label * n_fits]);
    });
    return fits;
}

}  // namespace

template <class Values>
std::vector<BinaryFit> fit_binary(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop) {
    return with_loss(targets.loss, [&]<class Loss>(Loss) {
        if (options.l1_ratio == 0.0)
            return fit_with<SmoothSolver<Values, Loss>>(features, targets, start, options, stop);
        return fit_with<SparseSolver<Values, Loss>>(features, targets, start, options, stop);
    });
}

template std::vector<BinaryFit> fit_binary(const FeatureMatrix<Ones>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const float*>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const double*>&, const BinaryTargets&,
                                           const BinaryStart&, const SolverOptions&, const std::atomic<bool>&);

}  // namespace setwise
