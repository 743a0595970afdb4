// The memory of quasi-Newton steps at the door.
#include "arrays.hpp"
#include "parts.hpp"
#include "setwise/step_memory.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

void check_length(const StepMemory& memory, const In<double>& array) {
    require(static_cast<std::int64_t>(array.shape(0)) == memory.size(), "an array has the wrong length");
}

}  // namespace

void bind_quasi_newton(nb::module_& m) {
    nb::class_<StepMemory>(m, "StepMemory")
        .def(
            "__init__",
            [](StepMemory* memory, std::int64_t size, std::int32_t capacity, int n_threads) {
                require(size >= 0 && capacity >= 1 && n_threads >= 1, "size, capacity or n_threads is too small");
                new (memory) StepMemory(size, capacity, n_threads);
            },
            "size"_a, "capacity"_a, "n_threads"_a)
        .def_prop_ro("empty", &StepMemory::empty)
        .def("clear", &StepMemory::clear)
        .def(
            "remember",
            [](StepMemory& memory, In<double> before, In<double> after, In<double> gradient_before,
               In<double> gradient_after, double least) {
                for (const auto& array : {before, after, gradient_before, gradient_after}) check_length(memory, array);
                return run_interruptibly({times(4, memory.size())}, [&](const std::atomic<bool>&, int) {
                    return memory.remember(before.data(), after.data(), gradient_before.data(), gradient_after.data(),
                                           least);
                });
            },
            "before"_a, "after"_a, "gradient_before"_a, "gradient_after"_a, "least"_a)
        .def(
            "direction",
            [](const StepMemory& memory, In<double> gradient) {
                check_length(memory, gradient);
                return give(run_interruptibly(
                    {times(4, memory.size(), memory.n_steps() + 1)},
                    [&](const std::atomic<bool>&, int) { return memory.direction(gradient.data()); }));
            },
            "gradient"_a);
}

}  // namespace setwise::door
