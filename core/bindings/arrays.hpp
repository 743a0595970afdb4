// Arrays at the door: what comes in is checked here once, and what goes out is handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "setwise/matrix.hpp"
#include "setwise/raw_vector.hpp"
#include "worker.hpp"

namespace nb = nanobind;

namespace setwise::door {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InMatrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InCube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Changed = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // what comes in to be filled
template <class T>
using Out = nb::ndarray<nb::numpy, T>;

inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <class T>
std::span<const T> as_span(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
std::vector<T> as_vector(const In<T>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// Checks a sparse matrix with n_outer columns of n_inner rows.
inline void check_compressed(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, std::size_t n_values,
                             std::int32_t n_outer, std::int32_t n_inner) {
    require(n_outer >= 0 && indptr.shape(0) == static_cast<std::size_t>(n_outer) + 1,
            "indptr must have one entry more than there are columns.");
    require(n_values == indices.shape(0), "values and indices differ in length.");
    check_columns(n_inner, as_span(indptr), as_span(indices));
}

template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator> values, std::initializer_list<std::size_t> shape) {
    using Owned = std::vector<T, Allocator>;
    auto* owned = new Owned(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
    return Out<T>(owned->data(), shape, owner);
}

// A product of counts as a double, which no size overflows.
template <class... Counts>
double times(Counts... counts) {
    return (1.0 * ... * static_cast<double>(counts));
}

// About how many additions and multiplications a call takes (an exponential counts as ten), and the threads it may use.
struct Effort {
    // Waking a thread takes 10 to 50 microseconds, and as much again on a busy machine: one that has fewer operations
    // to do than this saves no time.
    static constexpr double kWorthAThread = 300'000;
    static constexpr double kWorthAWorker = 1'000'000;  // about a millisecond: nobody presses Ctrl-C within it

    double operations;
    int n_threads = 1;

    bool is_short() const { return operations < kWorthAWorker; }
    int useful_threads() const {
        return static_cast<int>(std::clamp(operations / kWorthAThread, 1.0, static_cast<double>(n_threads)));
    }
};

// Runs work(stop, n_threads) with as many threads as are worth it, without the interpreter lock. What is short runs
// right here; all else runs on a worker, while this thread looks for Ctrl-C now and then.
template <class Work>
auto run_interruptibly(Effort effort, Work work) {
    constexpr auto kLookEvery = std::chrono::milliseconds(100);
    using Result = decltype(work(std::declval<const std::atomic<bool>&>(), 1));
    require(effort.n_threads >= 1, "n_threads must be 1 or more");
    std::atomic<bool> stop{false};
    const int n_threads = effort.useful_threads();
    if (effort.is_short()) {
        nb::gil_scoped_release unlocked;
        return work(stop, n_threads);
    }
    std::optional<Result> result;
    std::exception_ptr failure;
    Worker& worker = idle_worker();
    worker.start([&] {
        try {
            result.emplace(work(stop, n_threads));
        } catch (...) {
            failure = std::current_exception();
        }
    });
    bool interrupted = false;
    while (true) {
        {
            nb::gil_scoped_release unlocked;
            if (worker.wait_for(kLookEvery)) break;
        }
        if (!interrupted && PyErr_CheckSignals() != 0) {
            interrupted = true;
            stop = true;
        }
    }
    worker.rest();
    if (interrupted) throw nb::python_error();
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
}

template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator> values) {
    const std::size_t size = values.size();
    return give(std::move(values), {size});
}

}  // namespace setwise::door
