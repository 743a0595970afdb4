// Loops shared by several threads that sleep between loops.
//
// OpenMP's threads wait by spinning, and on a busy machine that costs many times the work itself. Here a thread without
// work sleeps, and a caller never waits for a thread that has not begun.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

namespace setwise {

// The items 0 .. n - 1 of a loop. Every thread that iterates over them gets others, `chunk` neighbours at a time.
class Items {
  public:
    Items(std::int64_t n, std::int64_t chunk) : n_(n), chunk_(chunk) {}

    struct End {};

    class Iterator {
      public:
        explicit Iterator(Items& items) : items_(items) { take(); }
        std::int64_t operator*() const { return item_; }
        Iterator& operator++() {
            if (++item_ == end_) take();
            return *this;
        }
        bool operator!=(End) const { return item_ < end_; }

      private:
        void take() {
            item_ = items_.next_.fetch_add(items_.chunk_, std::memory_order_relaxed);
            end_ = std::min(item_ + items_.chunk_, items_.n_);
        }

        Items& items_;
        std::int64_t item_, end_;
    };

    Iterator begin() { return Iterator(*this); }
    End end() const { return {}; }

  private:
    const std::int64_t n_, chunk_;
    std::atomic<std::int64_t> next_{0};
};

// Call `work` on this thread and on up to `n_threads - 1` others, and return when all of these calls have ended. An
// exception of any of them is thrown here.
void run_on_threads(int n_threads, const std::function<void()>& work);

// Share the items of a loop between threads: each calls `work(items)` once, which iterates over its part of them.
template <class Work>
void share_out(int n_threads, std::int64_t n_items, std::int64_t chunk, Work work) {
    Items items(n_items, chunk);
    const std::int64_t n_chunks = (n_items + chunk - 1) / chunk;
    run_on_threads(static_cast<int>(std::min<std::int64_t>(n_threads, n_chunks)), [&] { work(items); });
}

}  // namespace setwise
