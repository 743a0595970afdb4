// Arrays at the door: what comes in is checked here once, and what goes out is handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

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

// Nothing in the core checks an index again, so whatever comes in is checked here.
inline void check_compressed(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, std::size_t n_values,
                             std::int32_t n_outer, std::int32_t n_inner) {
    require(n_outer >= 0 && indptr.shape(0) == static_cast<std::size_t>(n_outer) + 1, "indptr has the wrong length");
    require(n_values == indices.shape(0), "values and indices differ in length");
    const std::int64_t* p = indptr.data();
    require(p[0] == 0 && p[n_outer] == static_cast<std::int64_t>(indices.shape(0)), "indptr does not span indices");
    for (std::int32_t j = 0; j < n_outer; ++j) require(p[j] <= p[j + 1], "indptr falls");
    const std::int32_t* i = indices.data();
    for (std::int32_t j = 0; j < n_outer; ++j)
        for (std::int64_t e = p[j]; e < p[j + 1]; ++e)
            require(i[e] >= 0 && i[e] < n_inner && (e == p[j] || i[e - 1] < i[e]), "indices out of range or order");
}

template <class T>
Out<T> give(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), shape, owner);
}

// Runs work(stop) on a worker and waits without the interpreter lock, looking for Ctrl-C now and then.
template <class Work>
auto run_interruptibly(Work work) {
    constexpr auto kLookEvery = std::chrono::milliseconds(100);
    using Result = decltype(work(std::declval<const std::atomic<bool>&>()));
    std::atomic<bool> stop{false};
    std::optional<Result> result;
    std::exception_ptr failure;
    Worker& worker = idle_worker();
    worker.start([&] {
        try {
            result.emplace(work(stop));
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

template <class T>
Out<T> give(std::vector<T> values) {
    const std::size_t size = values.size();
    return give(std::move(values), {size});
}

}  // namespace setwise::door
