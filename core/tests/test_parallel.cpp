// Loops shared by threads: every item once, whoever runs it, and every failure reported.
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "setwise/parallel.hpp"
#include "test_main.hpp"

using setwise::Items;
using setwise::share_out;

namespace {

// Count how often each item is visited.
std::vector<int> visits(int n_threads, std::int64_t n_items, std::int64_t chunk) {
    std::vector<std::atomic<int>> seen(n_items);
    share_out(n_threads, n_items, chunk, [&](Items& items) {
        for (const std::int64_t item : items) ++seen[item];
    });
    return {seen.begin(), seen.end()};
}

}  // namespace

TEST(every_item_is_visited_once) {
    for (const int n_threads : {1, 2, 3, 8})
        for (const std::int64_t n_items : {0, 1, 2, 15, 16, 17, 1000})
            for (const std::int64_t chunk : {1, 4, 16, 2000})
                CHECK(visits(n_threads, n_items, chunk) == std::vector<int>(n_items, 1));
}

TEST(several_threads_work_at_the_same_time) {
    // Each of two threads waits until the other has begun: one thread alone would wait in vain.
    std::atomic<int> begun{0};
    share_out(2, 2, 1, [&](Items& items) {
        for ([[maybe_unused]] const std::int64_t item : items) {
            ++begun;
            const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (begun < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
            CHECK(begun == 2);
        }
    });
}

TEST(one_thread_is_the_callers_own) {
    const auto caller = std::this_thread::get_id();
    share_out(1, 10, 1, [&](Items& items) {
        for ([[maybe_unused]] const std::int64_t item : items) CHECK(std::this_thread::get_id() == caller);
    });
}

TEST(an_exception_reaches_the_caller) {
    for (const int n_threads : {1, 2, 4})
        for (const std::int64_t bad : {0, 7, 99})
            CHECK_THROWS(share_out(n_threads, 100, 1,
                                   [&](Items& items) {
                                       for (const std::int64_t item : items)
                                           if (item == bad) throw std::runtime_error("bad item");
                                   }),
                         std::runtime_error);
    CHECK(visits(4, 100, 1) == std::vector<int>(100, 1));  // and the threads serve on
}

TEST(loops_within_loops_and_callers_side_by_side) {
    std::atomic<int> total{0};
    const auto nested = [&] {
        share_out(3, 10, 1, [&](Items& outer) {
            for ([[maybe_unused]] const std::int64_t i : outer)
                share_out(3, 10, 1, [&](Items& inner) {
                    for ([[maybe_unused]] const std::int64_t j : inner) ++total;
                });
        });
    };
    std::vector<std::thread> callers;
    for (int k = 0; k < 4; ++k) callers.emplace_back(nested);
    for (auto& caller : callers) caller.join();
    CHECK(total == 400);
}
