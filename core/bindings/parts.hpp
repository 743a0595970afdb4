// The parts of the door, one a file.
#pragma once

#include <nanobind/nanobind.h>

namespace setwise::door {

void bind_learners(nanobind::module_& m);

}  // namespace setwise::door
