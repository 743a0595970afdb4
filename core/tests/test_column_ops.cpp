// Products with one sparse column, for each kind of values, against the same loops over a dense matrix.
#include <random>
#include <type_traits>

#include "setwise/column_ops.hpp"
#include "test_main.hpp"

namespace {

using setwise::Columns;
using setwise::Ones;

// Columns of 0, 1, 2, ... entries: every length around the four-fold unrolling.
struct Matrix {
    static constexpr std::int32_t kRows = 23, kCols = 15;
    std::vector<std::int64_t> indptr{0};
    std::vector<std::int32_t> indices;
    std::vector<double> doubles;
    std::vector<float> floats;

    Matrix() {
        std::mt19937_64 random(4);
        std::normal_distribution<double> normal;
        for (std::int32_t j = 0; j < kCols; ++j) {
            for (std::int32_t k = 0; k < j; ++k) {
                indices.push_back(k + (j < 8 ? 3 : 0));
                doubles.push_back(normal(random));
                floats.push_back(static_cast<float>(doubles.back()));
            }
            indptr.push_back(static_cast<std::int64_t>(indices.size()));
        }
    }

    template <class Values>
    Columns<Values> view() const {
        if constexpr (std::is_same_v<Values, Ones>)
            return {kRows, kCols, indptr.data(), indices.data(), {}};
        else if constexpr (std::is_same_v<Values, const float*>)
            return {kRows, kCols, indptr.data(), indices.data(), floats.data()};
        else
            return {kRows, kCols, indptr.data(), indices.data(), doubles.data()};
    }
};

template <class Values>
std::vector<double> dense_column(const Columns<Values>& X, std::int32_t j) {
    std::vector<double> column(X.n_rows, 0.0);
    for (std::int64_t e = X.begin(j); e < X.end(j); ++e) column[X.indices[e]] += static_cast<double>(X.values[e]);
    return column;
}

template <class Values, class Real>
void check_all(double tolerance) {
    const Matrix matrix;
    const auto X = matrix.view<Values>();
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (std::int32_t j = 0; j < X.n_cols; ++j) {
        std::vector<Real> v(X.n_rows), factor(X.n_rows);
        for (std::int32_t i = 0; i < X.n_rows; ++i) {
            v[i] = static_cast<Real>(normal(random));
            factor[i] = static_cast<Real>(normal(random));
        }
        const auto column = dense_column(X, j);
        double dot = 0.0, square_dot = 0.0;
        for (std::int32_t i = 0; i < X.n_rows; ++i) {
            dot += column[i] * static_cast<double>(v[i]);
            square_dot += column[i] * column[i] * static_cast<double>(v[i]);
        }
        CHECK(X.count(j) == j);
        CHECK_NEAR(setwise::column_dot(X, j, v.data()), dot, tolerance);
        CHECK_NEAR(setwise::column_square_dot(X, j, v.data()), square_dot, tolerance);
        const Real scale = static_cast<Real>(-0.75);
        auto added = v, added_scaled = v;
        setwise::column_add(X, j, scale, added.data());
        setwise::column_add_scaled(X, j, scale, factor.data(), added_scaled.data());
        for (std::int32_t i = 0; i < X.n_rows; ++i) {
            CHECK_NEAR(added[i], static_cast<double>(v[i]) - 0.75 * column[i], tolerance);
            CHECK_NEAR(added_scaled[i], static_cast<double>(v[i]) - 0.75 * column[i] * static_cast<double>(factor[i]),
                       tolerance);
        }
    }
}

}  // namespace

TEST(ones) {
    check_all<Ones, double>(1e-13);
    check_all<Ones, float>(1e-4);
}

TEST(single_values) {
    check_all<const float*, double>(1e-13);
    check_all<const float*, float>(1e-4);
}

TEST(double_values) {
    check_all<const double*, double>(1e-13);
    check_all<const double*, float>(1e-4);
}
