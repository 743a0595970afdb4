// Random labels over random documents, small enough for a sanitizer, with the objective and its certificate written out
// in plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "setwise/binary.hpp"
#include "setwise/penalty.hpp"

namespace setwise_test {

enum class Kind { ones, single, real };

struct RandomProblem {
    std::int32_t n, d, n_labels;
    setwise::LossKind loss;
    std::vector<std::vector<double>> X;  // one per column, most frequent first
    std::vector<std::int64_t> indptr{0}, row_indptr{0}, y_indptr{0}, start_indptr;
    std::vector<std::int32_t> indices, row_indices, y_indices, caller_order, start_indices;
    std::vector<double> doubles, row_doubles, peak, y_values, weight, offset, tol, start_values, start_intercept;
    std::vector<float> floats, row_floats;

    // Targets are soft for every third label if the loss is logistic; weights and offsets are random; no column is
    // empty.
    RandomProblem(int seed, std::int32_t n_rows, std::int32_t n_cols, std::int32_t labels, Kind kind,
                  double density = 0.4, setwise::LossKind loss_kind = setwise::LossKind::logistic)
        : n(n_rows),
          d(n_cols),
          n_labels(labels),
          loss(loss_kind),
          start_indptr(labels + 1, 0),
          start_intercept(labels, 0.0) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        X.assign(d, std::vector<double>(n, 0.0));
        for (auto& column : X) {
            for (double& x : column) {
                if (uniform(random) >= density) continue;
                const double value = normal(random);
                x = kind == Kind::ones ? 1.0 : kind == Kind::single ? static_cast<float>(value) : value;
            }
            if (std::count(column.begin(), column.end(), 0.0) == n) column[0] = 1.0;
        }
        std::stable_sort(X.begin(), X.end(), [](const auto& a, const auto& b) {
            return std::count(a.begin(), a.end(), 0.0) < std::count(b.begin(), b.end(), 0.0);
        });
        lay_out();
        for (std::int32_t i = 0; i < n; ++i) weight.push_back(0.5 + uniform(random));
        const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
        for (double& c : weight) c /= total;
        for (std::int32_t k = 0; k < n * n_labels; ++k) offset.push_back(0.3 * normal(random));
        for (std::int32_t label = 0; label < n_labels; ++label) {
            for (std::int32_t i = 0; i < n; ++i) {
                // The first two documents differ, so that no label is constant.
                const bool has = i == 0 || (i != 1 && 2.0 * signal(label, i) + normal(random) > 0.3);
                const bool is_soft = loss == setwise::LossKind::logistic && (label % 3 == 2 || n == 1);
                const double y = is_soft ? 0.05 + 0.9 * uniform(random) : has ? 1.0 : 0.0;
                if (y == 0.0) continue;
                y_indices.push_back(i);
                y_values.push_back(y);
            }
            y_indptr.push_back(static_cast<std::int64_t>(y_indices.size()));
        }
    }

    template <class Values>
    setwise::FeatureMatrix<Values> features() const {
        if constexpr (std::is_same_v<Values, setwise::Ones>)
            return build<Values>({}, {});
        else if constexpr (std::is_same_v<Values, const float*>)
            return build<Values>(floats.data(), row_floats.data());
        else
            return build<Values>(doubles.data(), row_doubles.data());
    }

    setwise::BinaryTargets targets() const {
        return {{n, n_labels, y_indptr.data(), y_indices.data(), y_values.data()},
                weight.data(),
                offset.data(),
                n,
                nullptr,
                loss};
    }

    setwise::BinaryStart start() const {
        return {start_indptr.data(), start_indices.data(), start_values.data(), start_intercept.data()};
    }

    setwise::SolverOptions options(double strength, double l1_ratio, double tolerance) {
        tol.assign(n_labels, tolerance);
        setwise::SolverOptions options;
        options.strength = strength;
        options.l1_ratio = l1_ratio;
        options.tol = tol.data();
        return options;
    }

    std::vector<double> target(std::int32_t label) const {
        std::vector<double> y(n, 0.0);
        for (std::int64_t e = y_indptr[label]; e < y_indptr[label + 1]; ++e) y[y_indices[e]] = y_values[e];
        return y;
    }

    struct Certificate {
        double objective, violation;
    };

    Certificate certify(const setwise::BinaryFit& fit, std::int32_t label, double strength, double l1_ratio) const {
        const setwise::ElasticNet penalty(strength, l1_ratio);
        const auto y = target(label);
        std::vector<double> w(d, 0.0), residual(n);
        for (std::size_t k = 0; k < fit.indices.size(); ++k) w[caller_order[fit.indices[k]]] = fit.values[k];
        double objective = 0.0, violation = 0.0, by_intercept = 0.0;
        for (std::int32_t i = 0; i < n; ++i) {
            double z = fit.intercept + offset[label * n + i];
            for (std::int32_t j = 0; j < d; ++j) z += X[j][i] * w[j];
            if (loss == setwise::LossKind::logistic) {
                objective += weight[i] * (std::log1p(std::exp(-std::abs(z))) + std::max(z, 0.0) - y[i] * z);
                residual[i] = weight[i] * (1.0 / (1.0 + std::exp(-z)) - y[i]);
            } else {
                const double sign = y[i] == 1.0 ? 1.0 : -1.0, gap = std::max(0.0, 1.0 - sign * z);
                objective += weight[i] * gap * gap;
                residual[i] = -2.0 * weight[i] * sign * gap;
            }
            by_intercept += residual[i];
        }
        violation = std::abs(by_intercept);
        for (std::int32_t j = 0; j < d; ++j) {
            objective += penalty.value(w[j]);
            const double gradient = std::inner_product(X[j].begin(), X[j].end(), residual.begin(), 0.0);
            violation = std::max(violation, penalty.violation(w[j], gradient));
        }
        return {objective, violation};
    }

  private:
    double signal(std::int32_t label, std::int32_t i) const { return d == 0 ? 0.0 : X[label % d][i]; }

    template <class Values>
    setwise::FeatureMatrix<Values> build(Values values, Values row_values) const {
        return {{n, d, indptr.data(), indices.data(), values},
                {d, n, row_indptr.data(), row_indices.data(), row_values},
                peak.data(),
                caller_order.data()};
    }

    void lay_out() {
        for (const auto& column : X) {
            double largest = 0.0;
            for (std::int32_t i = 0; i < n; ++i) {
                if (column[i] == 0.0) continue;
                indices.push_back(i);
                doubles.push_back(column[i]);
                largest = std::max(largest, std::abs(column[i]));
            }
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
            peak.push_back(largest);
        }
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = 0; j < d; ++j) {
                if (X[j][i] == 0.0) continue;
                row_indices.push_back(j);
                row_doubles.push_back(X[j][i]);
            }
            row_indptr.push_back(static_cast<std::int64_t>(row_indices.size()));
        }
        floats.assign(doubles.begin(), doubles.end());
        row_floats.assign(row_doubles.begin(), row_doubles.end());
        caller_order.resize(d);  // the caller's columns come in the opposite order
        for (std::int32_t j = 0; j < d; ++j) caller_order[j] = d - 1 - j;
    }
};

}  // namespace setwise_test
