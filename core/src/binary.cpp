#include "setwise/binary.hpp"

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
#pragma omp parallel num_threads(options.n_threads)
    {
        Solver solver(features, targets, start, options, stop);
#pragma omp for schedule(dynamic, 1)
        for (std::int32_t label = 0; label < n_labels; ++label)
            if (!stop) solver.fit(label, &fits[label * n_fits]);
    }
    return fits;
}

}  // namespace

template <class Values>
std::vector<BinaryFit> fit_binary(const FeatureMatrix<Values>& features, const BinaryTargets& targets,
                                  const BinaryStart& start, const SolverOptions& options,
                                  const std::atomic<bool>& stop) {
    if (options.l1_ratio == 0.0) return fit_with<SmoothSolver<Values>>(features, targets, start, options, stop);
    return fit_with<SparseSolver<Values>>(features, targets, start, options, stop);
}

template std::vector<BinaryFit> fit_binary(const FeatureMatrix<Ones>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const float*>&, const BinaryTargets&, const BinaryStart&,
                                           const SolverOptions&, const std::atomic<bool>&);
template std::vector<BinaryFit> fit_binary(const FeatureMatrix<const double*>&, const BinaryTargets&,
                                           const BinaryStart&, const SolverOptions&, const std::atomic<bool>&);

}  // namespace setwise
