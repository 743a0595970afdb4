// Distributions over sets, and the decision for the best expected F, at the door.
#include <cmath>

#include "arrays.hpp"
#include "parts.hpp"
#include "setwise/gfm.hpp"
#include "setwise/independent.hpp"
#include "setwise/set_distribution.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

void softmax_rows(Changed scores, int n_threads) {
    require(scores.shape(1) >= 1 && scores.shape(1) < std::size_t{1} << 31, "there must be a set");
    const Effort effort{times(10, scores.shape(0), scores.shape(1)), n_threads};
    run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        setwise::softmax_rows(static_cast<std::int64_t>(scores.shape(0)), static_cast<std::int32_t>(scores.shape(1)),
                              scores.data(), threads, stop);
        return true;
    });
}

void check_columns_are_sets(const InMatrix<double>& probability, const LabelSets& sets) {
    require(probability.shape(1) == static_cast<std::size_t>(sets.n_sets()),
            "probability must have one column per set.");
}

SetScaling checked_scaling(std::size_t n_sets, double scale, const In<double>& bias) {
    require(n_sets >= 1 && n_sets < std::size_t{1} << 31, "there must be a set");
    require(bias.shape(0) == n_sets, "bias must have one value per set.");
    return {scale, bias.data()};
}

Out<double> calibrated_softmax(InMatrix<double> scores, double scale, In<double> bias, int n_threads) {
    const SetScaling scaling = checked_scaling(scores.shape(1), scale, bias);
    const std::size_t n = scores.shape(0), n_sets = scores.shape(1);
    auto found = run_interruptibly({times(12, n, n_sets), n_threads}, [&](const std::atomic<bool>& stop, int threads) {
        RawVector<double> out(n * n_sets);
        setwise::calibrated_softmax_rows(static_cast<std::int64_t>(n), static_cast<std::int32_t>(n_sets), scores.data(),
                                         scaling, out.data(), threads, stop);
        return out;
    });
    return give(std::move(found), {n, n_sets});
}

nb::tuple size_marginals_of_sets(InMatrix<double> probability, const LabelSets& sets, std::int32_t n_sizes,
                                 int n_threads) {
    const std::size_t n = probability.shape(0);
    check_columns_are_sets(probability, sets);
    require(n_sizes >= 1, "n_sizes must be 1 or more.");
    const auto labels = static_cast<std::size_t>(sets.n_labels()), sizes = static_cast<std::size_t>(n_sizes);
    const Effort effort{times(n, 2 * static_cast<std::size_t>(sets.n_entries()) + labels * sizes), n_threads};
    auto found = run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        std::pair<std::vector<double>, std::vector<double>> out(n * labels * sizes, n);
        setwise::size_marginals_of_sets(static_cast<std::int64_t>(n), sets, n_sizes, probability.data(),
                                        out.first.data(), out.second.data(), threads, stop);
        return out;
    });
    return nb::make_tuple(give(std::move(found.first), {n, labels, sizes}), give(std::move(found.second)));
}

nb::tuple packed(const std::vector<BestSet>& found) {
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<double> expected;
    for (const auto& best : found) {
        indices.insert(indices.end(), best.labels.begin(), best.labels.end());
        indptr.push_back(static_cast<std::int64_t>(indices.size()));
        expected.push_back(best.expected);
    }
    return nb::make_tuple(give(std::move(indptr)), give(std::move(indices)), give(std::move(expected)));
}

void check_beta(double beta) {
    require(beta > 0.0 && std::isfinite(beta), "beta must be above 0");
}

nb::tuple maximize_expected_f(InCube<double> joint, In<double> empty, double beta, int n_threads) {
    check_beta(beta);
    require(empty.shape(0) == joint.shape(0), "joint and empty differ");
    const Effort effort{times(4, joint.shape(0), joint.shape(1), joint.shape(2)), n_threads};
    return packed(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::maximize_expected_f(
            static_cast<std::int64_t>(joint.shape(0)), static_cast<std::int32_t>(joint.shape(1)),
            static_cast<std::int32_t>(joint.shape(2)), joint.data(), empty.data(), beta, threads, stop);
    }));
}

nb::tuple maximize_expected_f_over_sets(InMatrix<double> probability, const LabelSets& sets, double beta,
                                        int n_threads) {
    check_beta(beta);
    check_columns_are_sets(probability, sets);
    const Effort effort{times(probability.shape(0), 4 * sets.n_entries() + std::int64_t{20} * sets.n_labels()),
                        n_threads};
    return packed(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::maximize_expected_f_over_sets(static_cast<std::int64_t>(probability.shape(0)), sets,
                                                      probability.data(), beta, threads, stop);
    }));
}

nb::tuple maximize_expected_f_over_scores(InMatrix<double> scores, double scale, In<double> bias, const LabelSets& sets,
                                          double beta, int n_threads) {
    check_beta(beta);
    check_columns_are_sets(scores, sets);
    const SetScaling scaling = checked_scaling(scores.shape(1), scale, bias);
    const auto each = 4 * sets.n_entries() + std::int64_t{20} * sets.n_labels() + std::int64_t{12} * sets.n_sets();
    const Effort effort{times(scores.shape(0), each), n_threads};
    return packed(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::maximize_expected_f_over_scores(static_cast<std::int64_t>(scores.shape(0)), sets, scores.data(),
                                                        scaling, beta, threads, stop);
    }));
}

nb::tuple maximize_expected_f_over_logits(InMatrix<double> logits, double scale, In<double> bias, const LabelSets& sets,
                                          double beta, int n_threads) {
    check_beta(beta);
    require(logits.shape(1) == static_cast<std::size_t>(sets.n_labels()), "logits must have one column per label.");
    const SetScaling scaling = checked_scaling(static_cast<std::size_t>(sets.n_sets()), scale, bias);
    const Effort effort{times(logits.shape(0), sets.n_entries() + std::int64_t{30} * sets.n_labels()), n_threads};
    return packed(run_interruptibly(effort, [&](const std::atomic<bool>& stop, int threads) {
        return setwise::maximize_expected_f_over_logits(static_cast<std::int64_t>(logits.shape(0)), sets, logits.data(),
                                                        scaling, beta, threads, stop);
    }));
}

setwise::IndependentLabels checked_labels(const InMatrix<double>& logits, bool excludes_empty) {
    require(logits.shape(1) >= 1 && logits.shape(1) < std::size_t{1} << 30, "logits must have a label");
    return {static_cast<std::int64_t>(logits.shape(0)), static_cast<std::int32_t>(logits.shape(1)), logits.data(),
            excludes_empty};
}

// Labels join one after the other, each at the few sizes that are left of all.
Effort effort_of_labels(const InMatrix<double>& logits, int n_threads) {
    return {times(60, logits.shape(0), logits.shape(1)), n_threads};
}

nb::tuple maximize_expected_f_independent(InMatrix<double> logits, bool excludes_empty, double beta, int n_threads) {
    check_beta(beta);
    const auto labels = checked_labels(logits, excludes_empty);
    return packed(
        run_interruptibly(effort_of_labels(logits, n_threads), [&](const std::atomic<bool>& stop, int threads) {
            return setwise::maximize_expected_f(labels, beta, threads, stop);
        }));
}

Out<double> expected_f_independent(InMatrix<double> logits, bool excludes_empty, const LabelSets& sets, double beta,
                                   int n_threads) {
    check_beta(beta);
    const auto labels = checked_labels(logits, excludes_empty);
    require(sets.n_labels() == labels.n_labels, "logits and sets differ in their number of labels.");
    require(sets.n_sets() == labels.n_documents, "There must be one set per document.");
    return give(run_interruptibly(effort_of_labels(logits, n_threads), [&](const std::atomic<bool>& stop, int threads) {
        return setwise::expected_f(labels, sets, beta, threads, stop);
    }));
}

nb::tuple maximize_expected_jaccard_independent(InMatrix<double> logits, bool excludes_empty, int n_threads) {
    const auto labels = checked_labels(logits, excludes_empty);
    return packed(
        run_interruptibly(effort_of_labels(logits, n_threads), [&](const std::atomic<bool>& stop, int threads) {
            return setwise::maximize_expected_jaccard(labels, threads, stop);
        }));
}

}  // namespace

void bind_decision(nb::module_& m) {
    m.def("softmax_rows", &softmax_rows, "scores"_a.noconvert(), "n_threads"_a);  // a copy would change unseen
    m.def("size_marginals_of_sets", &size_marginals_of_sets, "probability"_a, "sets"_a, "n_sizes"_a, "n_threads"_a);
    m.def("maximize_expected_f", &maximize_expected_f, "joint"_a, "empty"_a, "beta"_a, "n_threads"_a);
    m.def("maximize_expected_f_over_sets", &maximize_expected_f_over_sets, "probability"_a, "sets"_a, "beta"_a,
          "n_threads"_a);
    m.def("calibrated_softmax", &calibrated_softmax, "scores"_a, "scale"_a, "bias"_a, "n_threads"_a);
    m.def("maximize_expected_f_over_scores", &maximize_expected_f_over_scores, "scores"_a, "scale"_a, "bias"_a,
          "sets"_a, "beta"_a, "n_threads"_a);
    m.def("maximize_expected_f_over_logits", &maximize_expected_f_over_logits, "logits"_a, "scale"_a, "bias"_a,
          "sets"_a, "beta"_a, "n_threads"_a);
    m.def("maximize_expected_f_independent", &maximize_expected_f_independent, "logits"_a, "excludes_empty"_a, "beta"_a,
          "n_threads"_a);
    m.def("expected_f_independent", &expected_f_independent, "logits"_a, "excludes_empty"_a, "sets"_a, "beta"_a,
          "n_threads"_a);
    m.def("maximize_expected_jaccard_independent", &maximize_expected_jaccard_independent, "logits"_a,
          "excludes_empty"_a, "n_threads"_a);
}

}  // namespace setwise::door
