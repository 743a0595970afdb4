// The learners at the door: binary and multinomial fits.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "features.hpp"
#include "parts.hpp"
#include "setwise/binary.hpp"
#include "setwise/multinomial.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

// Targets by label, document weights that sum to one, offsets (none, one row for all labels, or one row per label), how
// many columns each label may use (none: all), and the loss.
struct Targets {
    In<std::int64_t> indptr;
    In<std::int32_t> indices;
    In<double> values;
    In<double> weight;
    std::optional<InMatrix<double>> offset;
    std::optional<In<std::int32_t>> column_limit;
    setwise::LossKind loss;
    std::int32_t n_labels;

    Targets(std::int32_t n_rows, In<std::int64_t> indptr_, In<std::int32_t> indices_, In<double> values_,
            In<double> weight_, decltype(offset) offset_, decltype(column_limit) column_limit_,
            const std::string& loss_)
        : indptr(indptr_),
          indices(indices_),
          values(values_),
          weight(weight_),
          offset(offset_),
          column_limit(column_limit_),
          loss(setwise::loss_named(loss_)),
          n_labels(static_cast<std::int32_t>(indptr_.shape(0)) - 1) {
        check_compressed(indptr, indices, values.shape(0), n_labels, n_rows);
        require(weight.shape(0) == static_cast<std::size_t>(n_rows), "weight has the wrong length");
        if (offset) {
            require(offset->shape(1) == static_cast<std::size_t>(n_rows), "offset has the wrong length");
            require(offset->shape(0) == 1 || offset->shape(0) == static_cast<std::size_t>(n_labels),
                    "offset has the wrong number of rows");
        }
        require(!column_limit || column_limit->shape(0) == static_cast<std::size_t>(n_labels),
                "column_limit has the wrong length");
    }

    setwise::BinaryTargets view() const {
        const auto n_rows = static_cast<std::int32_t>(weight.shape(0));
        const bool shared = offset && offset->shape(0) == 1;
        return {{n_rows, n_labels, indptr.data(), indices.data(), values.data()},
                weight.data(),
                offset ? offset->data() : nullptr,
                shared ? 0 : n_rows,
                column_limit ? column_limit->data() : nullptr,
                loss};
    }

    void check_against(const Features& features) const {
        require(features.n_rows() == static_cast<std::int32_t>(weight.shape(0)), "features and targets differ");
        for (std::size_t label = 0; column_limit && label < column_limit->shape(0); ++label) {
            const std::int32_t limit = column_limit->data()[label];
            require(0 <= limit && limit <= features.n_cols(), "column_limit is out of range");
        }
    }
};

// Of one fit of one label or class: an iteration reads the features a few times.
double fit_operations(const Features& features, int max_iter) {
    constexpr int kTypicalIterations = 10, kReadings = 3;
    return times(kReadings, std::min(max_iter, kTypicalIterations) + 1,
                 features.n_entries() + 20 * static_cast<std::size_t>(features.n_rows()));
}

nb::tuple null_models(const Features& features, const Targets& targets, int n_threads) {
    targets.check_against(features);
    const Effort effort{times(targets.n_labels, features.n_entries() + 100 * targets.weight.shape(0)), n_threads};
    const auto models = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return features.visit(
            [&](const auto& matrix) { return setwise::null_models(matrix, targets.view(), threads, stop); });
    });
    std::vector<double> intercept, peak;
    for (const auto& model : models) {
        intercept.push_back(model.intercept);
        peak.push_back(model.peak);
    }
    return nb::make_tuple(give(std::move(intercept)), give(std::move(peak)));
}

nb::dict pack_history(const std::vector<setwise::IterationRow>& rows) {
    std::vector<std::int32_t> label, iteration, n_nonzero;
    std::vector<double> objective, violation, step;
    for (const auto& row : rows) {
        label.push_back(row.label);
        iteration.push_back(row.iteration);
        n_nonzero.push_back(row.n_nonzero);
        objective.push_back(row.objective);
        violation.push_back(row.violation);
        step.push_back(row.step);
    }
    nb::dict history;
    history["label"] = give(std::move(label));
    history["iteration"] = give(std::move(iteration));
    history["objective"] = give(std::move(objective));
    history["violation"] = give(std::move(violation));
    history["n_nonzero"] = give(std::move(n_nonzero));
    history["step"] = give(std::move(step));
    return history;
}

// One tuple a strength; the fits of a label come side by side. What was copied is freed at once.
nb::list pack(std::vector<setwise::BinaryFit> fits, std::size_t n_strengths) {
    nb::list packed;
    for (std::size_t s = 0; s < n_strengths; ++s) {
        std::vector<std::int64_t> indptr{0};
        std::vector<std::int32_t> indices, n_iter;
        std::vector<double> values, intercept, violation, objective;
        std::vector<setwise::IterationRow> history;
        std::size_t size = 0;
        for (std::size_t at = s; at < fits.size(); at += n_strengths) size += fits[at].indices.size();
        indices.reserve(size);
        values.reserve(size);
        for (std::size_t at = s; at < fits.size(); at += n_strengths) {
            const setwise::BinaryFit fit = std::move(fits[at]);
            indices.insert(indices.end(), fit.indices.begin(), fit.indices.end());
            values.insert(values.end(), fit.values.begin(), fit.values.end());
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
            intercept.push_back(fit.intercept);
            violation.push_back(fit.violation);
            objective.push_back(fit.objective);
            n_iter.push_back(fit.n_iter);
            history.insert(history.end(), fit.history.begin(), fit.history.end());
        }
        packed.append(nb::make_tuple(give(std::move(indptr)), give(std::move(indices)), give(std::move(values)),
                                     give(std::move(intercept)), give(std::move(violation)), give(std::move(objective)),
                                     give(std::move(n_iter)), pack_history(history)));
    }
    return packed;
}

nb::list fit_binary(const Features& features, const Targets& targets, In<std::int64_t> start_indptr,
                    In<std::int32_t> start_indices, In<double> start_values, In<double> start_intercept,
                    double strength, double l1_ratio, In<double> tol, int max_iter, int n_threads, In<double> path,
                    int first_iteration, std::vector<Changed> dense, std::optional<In<double>> strength_factor) {
    targets.check_against(features);
    const auto n_labels = static_cast<std::size_t>(targets.n_labels);
    require(!strength_factor || strength_factor->shape(0) == n_labels, "strength_factor has the wrong length");
    require(start_intercept.shape(0) == n_labels && tol.shape(0) == n_labels, "start or tol has the wrong length");
    check_compressed(start_indptr, start_indices, start_values.shape(0), targets.n_labels, features.n_cols());
    for (std::size_t label = 0; targets.column_limit && label < n_labels; ++label) {
        const std::int64_t begin = start_indptr.data()[label], end = start_indptr.data()[label + 1];
        require(begin == end || start_indices.data()[end - 1] < targets.column_limit->data()[label],
                "start lies beyond column_limit");
    }
    const setwise::BinaryStart start{start_indptr.data(), start_indices.data(), start_values.data(),
                                     start_intercept.data()};
    setwise::SolverOptions options;
    options.strength = strength;
    options.l1_ratio = l1_ratio;
    options.tol = tol.data();
    options.strength_factor = strength_factor ? strength_factor->data() : nullptr;
    options.max_iter = max_iter;
    options.first_iteration = first_iteration;
    options.path.assign(path.data(), path.data() + path.shape(0));
    require(dense.empty() || (l1_ratio == 0.0 && dense.size() == options.path.size() + 1),
            "dense does not fit the path");
    for (const Changed& weights : dense) {
        require(weights.shape(0) == n_labels && weights.shape(1) == static_cast<std::size_t>(features.n_cols()),
                "dense has the wrong shape");
        options.dense.push_back(weights.data());
    }
    const double operations = times(n_labels, options.path.size() + 1) * fit_operations(features, max_iter);
    auto fits = run_interruptibly({operations, n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        options.n_threads = threads;
        return features.visit(
            [&](const auto& matrix) { return setwise::fit_binary(matrix, targets.view(), start, options, stop); });
    });
    return pack(std::move(fits), options.path.size() + 1);
}

nb::tuple fit_multinomial(const Features& features, InMatrix<double> y, In<double> weight,
                          std::optional<InMatrix<double>> offset, InMatrix<double> start_weights,
                          In<double> start_intercept, double strength, double l1_ratio, double tol, int max_iter,
                          int first_iteration, int max_sweeps, bool shifts) {
    const auto n_rows = static_cast<std::size_t>(features.n_rows());
    const auto n_cols = static_cast<std::size_t>(features.n_cols());
    const std::size_t n_classes = y.shape(1);
    require(n_classes >= 1 && y.shape(0) == n_rows && weight.shape(0) == n_rows, "features and targets differ");
    require(!offset || (offset->shape(0) == n_rows && offset->shape(1) == n_classes), "offset has the wrong shape");
    require(start_weights.shape(0) == n_cols && start_weights.shape(1) == n_classes, "start has the wrong shape");
    require(start_intercept.shape(0) == n_classes, "start has the wrong length");
    const setwise::MultinomialTargets targets{static_cast<std::int32_t>(n_classes), y.data(), weight.data(),
                                              offset ? offset->data() : nullptr};
    setwise::SolverOptions options;
    options.strength = strength;
    options.l1_ratio = l1_ratio;
    options.tol = &tol;
    options.max_iter = max_iter;
    options.first_iteration = first_iteration;
    options.max_sweeps = max_sweeps;
    const double operations = times(n_classes) * fit_operations(features, max_iter);
    auto fit = run_interruptibly({operations}, [&](const std::atomic<bool>& stop, int) {
        return features.visit([&](const auto& matrix) {
            return setwise::fit_multinomial(matrix, targets, start_weights.data(), start_intercept.data(), options,
                                            stop, shifts);
        });
    });
    return nb::make_tuple(give(std::move(fit.weights)), give(std::move(fit.intercept)), fit.violation, fit.objective,
                          fit.n_iter, pack_history(fit.history));
}

}  // namespace

void bind_learners(nb::module_& m) {
    nb::class_<Features>(m, "Features")
        .def(
            nb::init<std::int32_t, std::int32_t, In<std::int64_t>, In<std::int32_t>, In<std::int64_t>, In<std::int32_t>,
                     In<double>, In<std::int32_t>, Features::F32, Features::F32, Features::F64, Features::F64>(),
            "n_rows"_a, "n_cols"_a, "indptr"_a, "indices"_a, "row_indptr"_a, "row_indices"_a, "peak"_a,
            "caller_order"_a, "values32"_a.none() = nb::none(), "row_values32"_a.none() = nb::none(),
            "values64"_a.none() = nb::none(), "row_values64"_a.none() = nb::none());
    nb::class_<Targets>(m, "Targets")
        .def(nb::init<std::int32_t, In<std::int64_t>, In<std::int32_t>, In<double>, In<double>,
                      std::optional<InMatrix<double>>, std::optional<In<std::int32_t>>, const std::string&>(),
             "n_rows"_a, "indptr"_a, "indices"_a, "values"_a, "weight"_a, "offset"_a.none() = nb::none(),
             "column_limit"_a.none() = nb::none(), "loss"_a = "logistic");
    m.def("null_models", &null_models, "features"_a, "targets"_a, "n_threads"_a);
    m.def("fit_binary", &fit_binary, "features"_a, "targets"_a, "start_indptr"_a, "start_indices"_a, "start_values"_a,
          "start_intercept"_a, "strength"_a, "l1_ratio"_a, "tol"_a, "max_iter"_a, "n_threads"_a, "path"_a,
          "first_iteration"_a = 0, "dense"_a.noconvert() = nb::list(), "strength_factor"_a.none() = nb::none());
    m.def("fit_multinomial", &fit_multinomial, "features"_a, "y"_a, "weight"_a, "offset"_a.none(), "start_weights"_a,
          "start_intercept"_a, "strength"_a, "l1_ratio"_a, "tol"_a, "max_iter"_a, "first_iteration"_a = 0,
          "max_sweeps"_a = SolverOptions{}.max_sweeps, "shifts"_a = true);
}

}  // namespace setwise::door
