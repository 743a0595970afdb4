// A table of lanes: some neighbouring numbers per feature or per document, one per label, on whole cache lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace setwise {

// Elements of a new table have any value.
template <class Real>
class LaneTable {
  public:
    explicit LaneTable(std::size_t size) : size_(size), data_(allocate(size)) {}

    std::size_t size() const { return size_; }
    Real* data() { return data_.get(); }
    const Real* data() const { return data_.get(); }
    Real& operator[](std::size_t at) { return data_[at]; }
    const Real& operator[](std::size_t at) const { return data_[at]; }
    void fill(Real value) { std::fill_n(data_.get(), size_, value); }

  private:
    static constexpr std::size_t kCacheLine = 64, kHugePage = std::size_t{1} << 21;

    static constexpr std::size_t alignment_of(std::size_t bytes) { return bytes >= kHugePage ? kHugePage : kCacheLine; }

    struct Free {
        std::size_t alignment;
        void operator()(Real* data) const { ::operator delete(data, std::align_val_t(alignment)); }
    };

    // Passes jump from feature to feature: with small pages, most jumps in a large table would miss the page cache too.
    static std::unique_ptr<Real[], Free> allocate(std::size_t size) {
        const std::size_t bytes = std::max(size, std::size_t{1}) * sizeof(Real), alignment = alignment_of(bytes);
        void* data = ::operator new(bytes, std::align_val_t(alignment));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (alignment == kHugePage) madvise(data, bytes, MADV_HUGEPAGE);  // a wish; nothing depends on the answer
#endif
        return {static_cast<Real*>(data), Free{alignment}};
    }

    std::size_t size_;
    std::unique_ptr<Real[], Free> data_;
};

}  // namespace setwise
