// Vectors whose new elements have any value. Threads that fill a large vector then touch its memory first, instead of
// waiting until one of them has set it to zero.
#pragma once

#include <memory>
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

}  // namespace setwise
