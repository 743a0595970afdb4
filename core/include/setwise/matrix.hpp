// A sparse matrix by columns, as views: the core never owns a user's data.
#pragma once

#include <cstdint>
#include <span>

namespace setwise {

// Stands where a value array would when every stored value is 1: word presence needs no value to be read.
struct Ones {
    constexpr double operator[](std::int64_t) const { return 1.0; }
};

// Entry e of column j has row indices[e] and value values[e], for e in [indptr[j], indptr[j + 1]); rows rise within a
// column and occur once. Values is `const float*`, `const double*` or `Ones`.
template <class Values>
struct Columns {
    std::int32_t n_rows;
    std::int32_t n_cols;
    const std::int64_t* indptr;
    const std::int32_t* indices;
    Values values;

    std::int64_t begin(std::int32_t j) const { return indptr[j]; }
    std::int64_t end(std::int32_t j) const { return indptr[j + 1]; }
    std::int64_t count(std::int32_t j) const { return indptr[j + 1] - indptr[j]; }
    std::int64_t n_entries() const { return indptr[n_cols]; }
};

// Throws std::invalid_argument unless indptr and indices describe columns of a matrix with n_rows rows: row numbers in
// range and strictly rising within a column. No kernel checks an index again.
void check_columns(std::int32_t n_rows, std::span<const std::int64_t> indptr, std::span<const std::int32_t> indices);

}  // namespace setwise
