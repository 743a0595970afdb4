// The Hessian of the loss over a working set of features and, last, the intercept, in single precision:
//
//     H = sum_i curvature_i x_i x_i'
//
// together with H d for a step d, of which one coordinate at a time changes.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "setwise/binary.hpp"
#include "setwise/column_ops.hpp"
#include "setwise/dispatch.hpp"

namespace setwise {

template <class Values>
class WorkingHessian {
  public:
    explicit WorkingHessian(const FeatureMatrix<Values>& features)
        : rows_(features.rows), local_(features.columns.n_cols, -1) {}

    // Forms H for d = 0. Features come most frequent first, so most of the additions fall into a small corner of H that
    // stays in cache. Documents hold very unequal curvature: those with the least, up to the share `left_out` of the
    // whole, enter the diagonal alone. Their number is large (most documents are told apart easily), their share of H
    // small. Sets: m_, width_, matrix_, bent_, row_index_, row_value_; local_ is -1 again afterwards.
    void form(const std::vector<std::int32_t>& working_set, const std::vector<float>& curvature,
              const std::vector<float>& diagonal, double total_curvature, double left_out,
              const std::atomic<bool>& stop) {
        m_ = static_cast<std::int32_t>(working_set.size());
        width_ = m_ + 1;
        matrix_.assign(static_cast<std::size_t>(width_) * width_, 0.0f);
        bent_.assign(width_, 0.0f);
        for (std::int32_t a = 0; a < m_; ++a) local_[working_set[a]] = a;
        const float least = least_curvature(curvature, left_out * total_curvature);
        row_index_.resize(static_cast<std::size_t>(m_) + 1);
        row_value_.resize(static_cast<std::size_t>(m_) + 1);
        const auto n = static_cast<std::int32_t>(curvature.size());
        for (std::int32_t i = 0; i < n && !stop; ++i)
            if (curvature[i] >= least) add_document(i, curvature[i]);
        for (std::int32_t a = 0; a < m_; ++a) {
            local_[working_set[a]] = -1;
            at(a, a) = diagonal[a];
        }
        at(m_, m_) = static_cast<float>(total_curvature);
        mirror();
    }

    // Moves d by `change` in coordinate a. Sets: bent_.
    void move(std::int32_t a, double change) {
        dispatch<add_scaled>(width_, static_cast<float>(change), matrix_.data() + static_cast<std::size_t>(a) * width_,
                             bent_.data());
    }

    // Coordinate a of H d.
    float bent(std::int32_t a) const { return bent_[a]; }

  private:
    float& at(std::int32_t a, std::int32_t b) { return matrix_[static_cast<std::size_t>(a) * width_ + b]; }

    // The curvature below which documents together have at most `left_out`, to within a power of two.
    static float least_curvature(const std::vector<float>& curvature, double left_out) {
        constexpr int kBins = 256;  // by binary exponent
        double mass[kBins] = {};
        for (const float c : curvature) mass[(std::bit_cast<std::uint32_t>(c) >> 23) & 0xffu] += c;
        double sum = 0.0;
        int bin = 0;
        while (bin < kBins - 1 && sum + mass[bin] <= left_out) sum += mass[bin++];
        return std::bit_cast<float>(static_cast<std::uint32_t>(bin) << 23);
    }

    // Adds to the lower triangle.
    void add_document(std::int32_t i, float curvature) {
        std::int32_t k = 0;
        for (std::int64_t e = rows_.begin(i); e < rows_.end(i); ++e) {
            const std::int32_t a = local_[rows_.indices[e]];
            row_index_[k] = a;  // overwritten unless the feature is in the working set: a branch here would mispredict
            row_value_[k] = static_cast<float>(rows_.values[e]);
            k += a >= 0;
        }
        row_index_[k] = m_;
        row_value_[k] = 1.0f;
        const std::int32_t* index = row_index_.data();
        const float* value = row_value_.data();
        for (std::int32_t p = 0; p <= k; ++p) {
            float* __restrict row = matrix_.data() + static_cast<std::size_t>(index[p]) * width_;
            const float scaled = curvature * value[p];
            for (std::int32_t r = 0; r < p; ++r) row[index[r]] += scaled * value[r];
        }
    }

    // Copies the lower triangle to the upper, in tiles that fit the cache.
    void mirror() {
        constexpr std::int32_t kTile = 32;
        for (std::int32_t a0 = 0; a0 < width_; a0 += kTile)
            for (std::int32_t b0 = 0; b0 <= a0; b0 += kTile)
                for (std::int32_t a = a0; a < std::min(a0 + kTile, width_); ++a)
                    for (std::int32_t b = b0; b < std::min({b0 + kTile, a, width_}); ++b) at(b, a) = at(a, b);
    }

    const Columns<Values>& rows_;
    std::int32_t m_ = 0, width_ = 0;
    std::vector<float> matrix_, bent_;
    std::vector<std::int32_t> local_;  // position of a feature in the working set; -1 where it is not in it
    std::vector<std::int32_t> row_index_;
    std::vector<float> row_value_;
};

}  // namespace setwise
