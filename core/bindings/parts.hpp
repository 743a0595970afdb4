// The parts of the door, one a file.
#pragma once

#include <nanobind/nanobind.h>

namespace setwise::door {

void bind_crf(nanobind::module_& m);
void bind_decision(nanobind::module_& m);
void bind_learners(nanobind::module_& m);
void bind_mixture(nanobind::module_& m);
void bind_networks(nanobind::module_& m);
void bind_quasi_newton(nanobind::module_& m);
void bind_chain(nanobind::module_& m);
void bind_label_sets(nanobind::module_& m);
void bind_scores(nanobind::module_& m);
void bind_text(nanobind::module_& m);

}  // namespace setwise::door
