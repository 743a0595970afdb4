// The features of a fit at the door: checked once, kept alive, and handed to the core in the precision they have.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "setwise/binary.hpp"

namespace setwise::door {

// The features of a fit, checked once and kept alive. `values` is absent when all are 1.
class Features {
  public:
    using F32 = std::optional<In<float>>;
    using F64 = std::optional<In<double>>;

    Features(std::int32_t n_rows, std::int32_t n_cols, In<std::int64_t> indptr, In<std::int32_t> indices,
             In<std::int64_t> row_indptr, In<std::int32_t> row_indices, In<double> peak, In<std::int32_t> caller_order,
             F32 values32, F32 row_values32, F64 values64, F64 row_values64)
        : indptr_(indptr),
          indices_(indices),
          row_indptr_(row_indptr),
          row_indices_(row_indices),
          peak_(peak),
          caller_order_(caller_order),
          n_rows_(n_rows),
          values32_(values32),
          row_values32_(row_values32),
          values64_(values64),
          row_values64_(row_values64) {
        const auto length = [&](const F32& a, const F64& b) {
            return a ? a->shape(0) : b ? b->shape(0) : indices.shape(0);
        };
        check_compressed(indptr, indices, length(values32, values64), n_cols, n_rows);
        check_compressed(row_indptr, row_indices, length(row_values32, row_values64), n_rows, n_cols);
        require(values32.has_value() == row_values32.has_value() && values64.has_value() == row_values64.has_value(),
                "columns and rows differ in kind");
        require(peak.shape(0) == static_cast<std::size_t>(n_cols), "peak has the wrong length");
        require(caller_order.shape(0) == static_cast<std::size_t>(n_cols), "caller_order has the wrong length");
        std::vector<bool> seen(n_cols, false);
        for (std::int32_t p = 0; p < n_cols; ++p) {
            const std::int32_t j = caller_order.data()[p];
            require(j >= 0 && j < n_cols && !seen[j], "caller_order is no permutation");
            seen[j] = true;
        }
        if (values32)
            matrix_ = build(n_cols, values32->data(), row_values32->data());
        else if (values64)
            matrix_ = build(n_cols, values64->data(), row_values64->data());
        else
            matrix_ = build(n_cols, setwise::Ones{}, setwise::Ones{});
    }

    std::int32_t n_rows() const { return n_rows_; }
    std::int32_t n_cols() const { return static_cast<std::int32_t>(peak_.shape(0)); }
    std::size_t n_entries() const { return indices_.shape(0); }

    template <class Call>
    auto visit(Call call) const {
        return std::visit(call, matrix_);
    }

  private:
    template <class Values>
    setwise::FeatureMatrix<Values> build(std::int32_t n_cols, Values values, Values row_values) const {
        return {{n_rows_, n_cols, indptr_.data(), indices_.data(), values},
                {n_cols, n_rows_, row_indptr_.data(), row_indices_.data(), row_values},
                peak_.data(),
                caller_order_.data()};
    }

    In<std::int64_t> indptr_;
    In<std::int32_t> indices_;
    In<std::int64_t> row_indptr_;
    In<std::int32_t> row_indices_;
    In<double> peak_;
    In<std::int32_t> caller_order_;
    std::int32_t n_rows_;
    F32 values32_, row_values32_;
    F64 values64_, row_values64_;
    std::variant<setwise::FeatureMatrix<setwise::Ones>, setwise::FeatureMatrix<const float*>,
                 setwise::FeatureMatrix<const double*>>
        matrix_;
};

}  // namespace setwise::door
