// Label sets, laid out once and shared by every function that reads sets.
#include "setwise/label_sets.hpp"

#include "arrays.hpp"
#include "parts.hpp"

using namespace nb::literals;

namespace setwise::door {

void bind_label_sets(nb::module_& m) {
    nb::class_<LabelSets>(m, "LabelSets")
        .def(
            "__init__",
            [](LabelSets* sets, std::int32_t n_labels, In<std::int64_t> indptr, In<std::int32_t> indices) {
                new (sets) LabelSets(n_labels, as_vector(indptr), as_vector(indices));
            },
            "n_labels"_a, "indptr"_a, "indices"_a)
        .def_prop_ro("n_sets", &LabelSets::n_sets)
        .def_prop_ro("n_labels", &LabelSets::n_labels)
        .def_prop_ro("largest_size", &LabelSets::largest_size)
        .def(
            "permuted", [](const LabelSets& sets, In<std::int32_t> order) { return sets.permuted(as_span(order)); },
            "order"_a);
}

}  // namespace setwise::door
