// A Newton direction for losses with a flat part. A document without curvature has no slope either, so it drops out:
// the direction is computed on a smaller matrix, with the features that may move and the documents that have curvature.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "local_model.hpp"
#include "setwise/binary.hpp"

namespace setwise {

// Some columns and some documents of a matrix, copied and numbered from 0. The matrix is one object whose content
// changes: who refers to it sees the last selection. It starts as large as the whole.
template <class Values>
class FeaturePart {
  public:
    explicit FeaturePart(const FeatureMatrix<Values>& whole)
        : whole_(whole),
          part_(whole),
          position_(whole.columns.n_rows),
          peak_(whole.column_peak, whole.column_peak + whole.columns.n_cols) {
        part_.column_peak = peak_.data();
        part_.caller_order = nullptr;  // nobody asks a direction for the caller's columns
    }

    FeaturePart(const FeaturePart&) = delete;  // part_ points into the others
    FeaturePart& operator=(const FeaturePart&) = delete;

    const FeatureMatrix<Values>& matrix() const { return part_; }

    // Columns without an entry left are left out too. Sets: part_ and its arrays, position_, documents_, kept_.
    void select(const std::vector<std::int32_t>& columns, const double* curvature) {
        documents_.clear();
        for (std::int32_t i = 0; i < whole_.columns.n_rows; ++i) {
            const bool is_curved = curvature[i] > 0.0;
            position_[i] = is_curved ? static_cast<std::int32_t>(documents_.size()) : -1;
            if (is_curved) documents_.push_back(i);
        }
        copy_columns(columns);
        transpose();
    }

    const std::vector<std::int32_t>& documents() const { return documents_; }

    // The columns of the part, as places in what was given to select().
    const std::vector<std::int32_t>& kept() const { return kept_; }

  private:
    static constexpr bool kHasValues = !std::is_same_v<Values, Ones>;
    using Value = std::conditional_t<std::is_same_v<Values, const double*>, double, float>;

    void copy_columns(const std::vector<std::int32_t>& columns) {
        const Columns<Values>& X = whole_.columns;
        const auto m = static_cast<std::int32_t>(columns.size());
        std::int64_t largest = 0;
        for (const std::int32_t j : columns) largest += X.count(j);
        grow(indices_, values_, largest);
        indptr_.assign(1, 0);
        kept_.clear();
        std::int64_t at = 0;
        for (std::int32_t a = 0; a < m; ++a) {
            const std::int32_t j = columns[a];
            for (std::int64_t e = X.begin(j); e < X.end(j); ++e) {
                const std::int32_t i = position_[X.indices[e]];
                indices_[at] = i;  // overwritten unless the document is curved: a branch here would mispredict
                if constexpr (kHasValues) values_[at] = X.values[e];
                at += i >= 0;
            }
            if (at == indptr_.back()) continue;
            peak_[kept_.size()] = whole_.column_peak[j];
            kept_.push_back(a);
            indptr_.push_back(at);
        }
        part_.columns = {static_cast<std::int32_t>(documents_.size()), static_cast<std::int32_t>(kept_.size()),
                         indptr_.data(), indices_.data(), view(values_)};
    }

    void transpose() {
        const Columns<Values>& X = part_.columns;
        grow(row_indices_, row_values_, X.n_entries());
        row_indptr_.assign(X.n_rows + 2, 0);
        for (std::int64_t e = 0; e < X.n_entries(); ++e) ++row_indptr_[X.indices[e] + 2];
        for (std::int32_t i = 0; i < X.n_rows; ++i) row_indptr_[i + 2] += row_indptr_[i + 1];
        for (std::int32_t a = 0; a < X.n_cols; ++a)
            for (std::int64_t e = X.begin(a); e < X.end(a); ++e) {
                const std::int64_t to = row_indptr_[X.indices[e] + 1]++;
                row_indices_[to] = a;
                if constexpr (kHasValues) row_values_[to] = X.values[e];
            }
        part_.rows = {X.n_cols, X.n_rows, row_indptr_.data(), row_indices_.data(), view(row_values_)};
    }

    // One more than needed: the entry that is overwritten may be the last.
    static void grow(std::vector<std::int32_t>& indices, std::vector<Value>& values, std::int64_t size) {
        const auto least = static_cast<std::size_t>(size) + 1;
        if (indices.size() < least) indices.resize(least);
        if constexpr (kHasValues)
            if (values.size() < least) values.resize(least);
    }

    static Values view(const std::vector<Value>& values) {
        if constexpr (kHasValues)
            return values.data();
        else
            return Ones{};
    }

    const FeatureMatrix<Values>& whole_;
    FeatureMatrix<Values> part_;
    std::vector<std::int32_t> position_;  // of a document in the part; -1 where it is left out
    std::vector<std::int32_t> documents_, kept_;
    std::vector<double> peak_;
    std::vector<std::int64_t> indptr_, row_indptr_;
    std::vector<std::int32_t> indices_, row_indices_;
    std::vector<Value> values_, row_values_;
};

// Stands for a Direction (NewtonDirection or ConjugateDirection) over the whole matrix.
template <class Direction, class Values>
class CurvedDirection {
  public:
    CurvedDirection(const FeatureMatrix<Values>& features, const SolverOptions& options)
        : part_(features), options_(with_small_systems(options)), direction_(part_.matrix(), options_) {}

    // As Direction::solve with the same arguments.
    template <class... How>
    double solve(const std::vector<std::int32_t>& which, const LocalModel& model, double* step,
                 const std::atomic<bool>& stop, const How&... how) {
        part_.select(which, model.curvature);
        const std::vector<std::int32_t>& kept = part_.kept();
        const std::size_t m = kept.size();
        all_.resize(m);
        std::iota(all_.begin(), all_.end(), 0);
        weights_.resize(m);
        gradient_.resize(m);
        for (std::size_t a = 0; a < m; ++a) {
            weights_[a] = model.weights[which[kept[a]]];
            gradient_[a] = model.gradient[which[kept[a]]];
        }
        curvature_.clear();
        for (const std::int32_t i : part_.documents()) curvature_.push_back(model.curvature[i]);
        const LocalModel local{model.penalty, weights_.data(), gradient_.data(), model.intercept_gradient,
                               curvature_.data()};
        step_.assign(m, 0.0);
        const double intercept_step = direction_.solve(all_, local, step_.data(), stop, how...);
        // A weight that no curved document has feels the penalty alone.
        const bool is_penalised = model.penalty.l1 > 0.0 || model.penalty.l2 > 0.0;
        for (const std::int32_t j : which) step[j] = is_penalised ? -model.weights[j] : 0.0;
        for (std::size_t a = 0; a < m; ++a) step[which[kept[a]]] = step_[a];
        return intercept_step;
    }

  private:
    // Where fewer documents are curved than features move, the exact system is singular and the path to its solution
    // long; and the quadratic changes as soon as a document crosses the margin. Only small systems are worth it.
    static SolverOptions with_small_systems(SolverOptions options) {
        constexpr int kExactLimit = 64, kMaxExact = 1000;
        options.exact_limit = std::min(options.exact_limit, kExactLimit);
        options.max_exact = std::min(options.max_exact, kMaxExact);
        return options;
    }

    FeaturePart<Values> part_;
    const SolverOptions options_;  // direction_ refers to them
    Direction direction_;
    std::vector<std::int32_t> all_;                  // the columns of the part
    std::vector<double> weights_, gradient_, step_;  // one per column of the part
    std::vector<double> curvature_;                  // one per document of the part
};

template <class Loss, class Direction, class Values>
using DirectionFor = std::conditional_t<Loss::kHasFlatPart, CurvedDirection<Direction, Values>, Direction>;

}  // namespace setwise
