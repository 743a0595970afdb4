// Label sets in the one layout that every kernel reads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "setwise/matrix.hpp"

namespace setwise {

class SetLanes;

// The labels of set s are indices[indptr[s]] to indices[indptr[s + 1] - 1], strictly rising. Owns its arrays and checks
// them once, so that no kernel has to.
class LabelSets {
  public:
    // Throws std::invalid_argument unless the arrays describe sets of labels 0 to n_labels - 1.
    LabelSets(std::int32_t n_labels, std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices);

    std::int32_t n_sets() const { return static_cast<std::int32_t>(indptr_.size()) - 1; }
    std::int32_t n_labels() const { return n_labels_; }
    std::int32_t largest_size() const { return largest_size_; }
    std::int64_t n_entries() const { return static_cast<std::int64_t>(indices_.size()); }

    // "Column" s is set s. Valid as long as this object lives.
    Columns<Ones> columns() const { return {n_labels_, n_sets(), indptr_.data(), indices_.data(), Ones{}}; }

    // The sets by size, for sums over them. Laid out by the first call, and kept for all others.
    const SetLanes& lanes() const;

    // The same sets with label order[p] renumbered p. Throws std::invalid_argument unless `order` is a permutation of
    // the labels.
    LabelSets permuted(std::span<const std::int32_t> order) const;

  private:
    std::int32_t n_labels_;
    std::int32_t largest_size_ = 0;
    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> indices_;

    struct Layout;
    std::shared_ptr<Layout> layout_;  // copies have the same sets, and share it
};

}  // namespace setwise
