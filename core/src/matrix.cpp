#include "setwise/matrix.hpp"

#include <limits>
#include <stdexcept>

namespace setwise {

void check_columns(std::int32_t n_rows, std::span<const std::int64_t> indptr, std::span<const std::int32_t> indices) {
    const auto require = [](bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    };
    require(!indptr.empty() && indptr.size() <= std::numeric_limits<std::int32_t>::max(),
            "indptr must have one entry more than there are columns.");
    require(indptr.front() == 0 && indptr.back() == static_cast<std::int64_t>(indices.size()),
            "indptr must start at 0 and end at the number of indices.");
    for (std::size_t j = 0; j + 1 < indptr.size(); ++j)
        require(indptr[j] <= indptr[j + 1], "indptr must not decrease.");
    for (std::size_t j = 0; j + 1 < indptr.size(); ++j)
        for (std::int64_t e = indptr[j]; e < indptr[j + 1]; ++e) {
            require(indices[e] >= 0 && indices[e] < n_rows, "indices must lie between 0 and the number of rows.");
            require(e == indptr[j] || indices[e - 1] < indices[e], "indices must strictly rise within a column.");
        }
}

}  // namespace setwise
