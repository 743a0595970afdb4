#include "setwise/label_sets.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "setwise/set_distribution.hpp"

namespace setwise {

struct LabelSets::Layout {
    std::once_flag once;
    std::optional<SetLanes> lanes;
};

LabelSets::LabelSets(std::int32_t n_labels, std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices)
    : n_labels_(n_labels),
      indptr_(std::move(indptr)),
      indices_(std::move(indices)),
      layout_(std::make_shared<Layout>()) {
    if (n_labels_ < 0) throw std::invalid_argument("n_labels must not be negative.");
    check_columns(n_labels_, indptr_, indices_);
    for (std::int32_t s = 0; s < n_sets(); ++s)
        largest_size_ = std::max(largest_size_, static_cast<std::int32_t>(indptr_[s + 1] - indptr_[s]));
}

const SetLanes& LabelSets::lanes() const {
    std::call_once(layout_->once, [&] { layout_->lanes.emplace(*this); });
    return *layout_->lanes;
}

LabelSets LabelSets::permuted(std::span<const std::int32_t> order) const {
    if (order.size() != static_cast<std::size_t>(n_labels_))
        throw std::invalid_argument("order must have one entry per label.");
    std::vector<std::int32_t> place(n_labels_, -1);
    for (std::int32_t p = 0; p < n_labels_; ++p) {
        if (order[p] < 0 || order[p] >= n_labels_ || place[order[p]] >= 0)
            throw std::invalid_argument("order must contain every label once.");
        place[order[p]] = p;
    }
    std::vector<std::int32_t> indices;
    indices.reserve(indices_.size());
    for (const std::int32_t label : indices_) indices.push_back(place[label]);
    for (std::int32_t s = 0; s < n_sets(); ++s)
        std::sort(indices.begin() + indptr_[s], indices.begin() + indptr_[s + 1]);
    return {n_labels_, indptr_, std::move(indices)};
}

}  // namespace setwise
