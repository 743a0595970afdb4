// The training of networks at the door.
#include "arrays.hpp"
#include "parts.hpp"
#include "setwise/adam.hpp"

using namespace nb::literals;

namespace setwise::door {
namespace {

template <class T>
using Moved = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
void bind_adam_step(nb::module_& m) {
    m.def(
        "adam_step",
        [](Moved<T> parameter, In<T> gradient, Moved<T> mean, Moved<T> square, double decay_of_mean,
           double decay_of_square, double rate, double root, double least_root) {
            const std::size_t n = parameter.shape(0);
            require(gradient.shape(0) == n && mean.shape(0) == n && square.shape(0) == n, "arrays differ in length");
            const AdamRule rule{decay_of_mean, decay_of_square, rate, root, least_root};
            nb::gil_scoped_release unlocked;
            adam_step<T>(static_cast<std::int64_t>(n), rule, gradient.data(), parameter.data(), mean.data(),
                         square.data());
        },
        "parameter"_a.noconvert(), "gradient"_a.noconvert(), "mean"_a.noconvert(), "square"_a.noconvert(),
        "decay_of_mean"_a, "decay_of_square"_a, "rate"_a, "root"_a, "least_root"_a);
}

}  // namespace

void bind_networks(nb::module_& m) {
    bind_adam_step<float>(m);
    bind_adam_step<double>(m);
}

}  // namespace setwise::door
