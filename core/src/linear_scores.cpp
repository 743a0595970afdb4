#include "setwise/linear_scores.hpp"

#include <algorithm>
#include <utility>

#include "setwise/dispatch.hpp"
#include "setwise/vector_math.hpp"

namespace setwise {

namespace {

// A row takes a feature where at least one label in so many has a weight: below, a list is shorter to add.
constexpr std::int32_t kLabelsPerWeight = 12;

// Numbers in all rows together: 8 MB.
constexpr std::int64_t kMostInRows = std::int64_t{1} << 20;

// Labels whose sums stay in registers while all rows of a document are added.
constexpr std::int32_t kTile = 48;
static_assert(kTile % LinearWeights::kPad == 0);

struct ScaledRow {
    const double* row;
    double x;
};

// out[l] = sum of x row[l] over the rows, for a tile of labels that the compiler knows the number of.
template <std::int32_t kLabels>
SETWISE_INLINE void add_tile(const ScaledRow* begin, const ScaledRow* end, std::int32_t first, double* out) {
    constexpr std::int32_t kQuads = kLabels / 4;
    HalfLanes sums[kQuads] = {};
    for (const ScaledRow* one = begin; one != end; ++one) {
        const auto* row = reinterpret_cast<const HalfLanes*>(one->row + first);
        const HalfLanes x = HalfLanes{} + one->x;
        for (std::int32_t q = 0; q < kQuads; ++q) sums[q] += x * row[q];
    }
    for (std::int32_t q = 0; q < kQuads; ++q) reinterpret_cast<HalfLanes*>(out + first)[q] = sums[q];
}

// The rows of some documents: those of document i end at ends[i].
struct DocumentRows {
    std::vector<ScaledRow> rows;
    std::vector<std::size_t> ends;
};

// Tile by tile for all of the documents, so that the tile of all features stays in the cache.
SETWISE_INLINE void add_rows(const DocumentRows& documents, std::int32_t stride, double* out) {
    for (std::int32_t first = 0; first < stride;) {
        const bool is_whole = first + kTile <= stride;
        const ScaledRow* row = documents.rows.data();
        for (std::size_t i = 0; i < documents.ends.size(); ++i) {
            const ScaledRow* end = documents.rows.data() + documents.ends[i];
            double* sums = out + i * static_cast<std::size_t>(stride);
            if (is_whole)
                add_tile<kTile>(row, end, first, sums);
            else
                add_tile<LinearWeights::kPad>(row, end, first, sums);
            row = end;
        }
        first += is_whole ? kTile : LinearWeights::kPad;
    }
}

}  // namespace

LinearWeights::LinearWeights(const Columns<const double*>& weights, std::vector<double> intercept)
    : row_of_(weights.n_rows, -1), first_(weights.n_rows + std::size_t{1}, 0), intercept_(std::move(intercept)) {
    const std::int64_t n = weights.indptr[weights.n_cols];
    for (std::int64_t e = 0; e < n; ++e) ++first_[weights.indices[e] + std::size_t{1}];
    std::vector<std::int32_t> dense;
    for (std::int32_t j = 0; j < n_features(); ++j)
        if (first_[j + std::size_t{1}] * kLabelsPerWeight >= std::max(n_labels(), kPad)) dense.push_back(j);
    const auto n_rows = std::min(static_cast<std::int64_t>(dense.size()), kMostInRows / std::max(1, stride()));
    std::stable_sort(dense.begin(), dense.end(), [&](std::int32_t a, std::int32_t b) {
        return first_[a + std::size_t{1}] > first_[b + std::size_t{1}];
    });
    for (std::int32_t r = 0; r < n_rows; ++r) {
        row_of_[dense[r]] = r;
        first_[dense[r] + std::size_t{1}] = 0;
    }
    rows_.assign(static_cast<std::size_t>(n_rows) * stride(), 0.0);
    for (std::size_t j = 1; j < first_.size(); ++j) first_[j] += first_[j - 1];
    weights_.resize(first_.back());
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    for (std::int32_t l = 0; l < weights.n_cols; ++l)
        for (std::int64_t e = weights.begin(l); e < weights.end(l); ++e) {
            const std::int32_t j = weights.indices[e];
            if (row_of_[j] < 0)
                weights_[next[j]++] = {l, weights.values[e]};
            else
                rows_[static_cast<std::size_t>(row_of_[j]) * stride() + l] += weights.values[e];
        }
}

template <class Value>
void linear_scores(const LinearWeights& weights, const Columns<const Value*>& documents, const std::atomic<bool>& stop,
                   double* out) {
    constexpr std::int32_t kTogether = 64;  // documents whose rows are collected first
    const std::int32_t n_labels = weights.n_labels(), stride = weights.stride();
    const double* intercept = weights.intercept().data();
    DocumentRows together;
    std::vector<double> sums(static_cast<std::size_t>(kTogether) * stride);
    for (std::int32_t first = 0; first < documents.n_cols && !stop; first += kTogether) {
        const std::int32_t end = std::min(first + kTogether, documents.n_cols);
        together.rows.clear();
        together.ends.clear();
        for (std::int32_t i = first; i < end; ++i) {
            for (std::int64_t e = documents.begin(i); e < documents.end(i); ++e)
                if (const double* row = weights.row(documents.indices[e]))
                    together.rows.push_back({row, static_cast<double>(documents.values[e])});
            together.ends.push_back(together.rows.size());
        }
        dispatch<add_rows>(together, stride, sums.data());
        for (std::int32_t i = first; i < end; ++i, out += n_labels) {
            double* const sum = sums.data() + static_cast<std::size_t>(i - first) * stride;
            for (std::int64_t e = documents.begin(i); e < documents.end(i); ++e) {
                const double x = documents.values[e];
                const LinearWeights::Weight* last = weights.end(documents.indices[e]);
                for (auto* w = weights.begin(documents.indices[e]); w != last; ++w) sum[w->label] += x * w->value;
            }
            for (std::int32_t l = 0; l < n_labels; ++l) out[l] = sum[l] + intercept[l];
        }
    }
}

template void linear_scores(const LinearWeights&, const Columns<const float*>&, const std::atomic<bool>&, double*);
template void linear_scores(const LinearWeights&, const Columns<const double*>&, const std::atomic<bool>&, double*);

}  // namespace setwise
