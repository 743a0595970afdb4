// Vectors whose memory is not what std::vector makes of it.
//
// New elements of a RawVector have any value. Threads that fill a large vector then touch its memory first, instead of
// waiting until one of them has set it to zero.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace setwise {

template <class T>
struct RawAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = RawAllocator<U>;
    };

    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;  // no parentheses: numbers stay as they are
    }
    template <class U, class... Args>
    void construct(U* place, Args&&... args) {
        ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// Vectors of numbers that begin on a line of the cache.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    LineAllocator() = default;
    template <class U>
    explicit LineAllocator(const LineAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
    void deallocate(T* place, std::size_t) noexcept { ::operator delete(place, kLine); }
    template <class U>
    bool operator==(const LineAllocator<U>&) const noexcept {
        return true;
    }
};

using LaneVector = std::vector<double, LineAllocator<double>>;

}  // namespace setwise
