// The Python module: this folder alone knows Python. Its files check what arrives, let go of the interpreter lock, and
// give arrays back.
#include <nanobind/nanobind.h>

#include "parts.hpp"
#include "setwise/dispatch.hpp"

NB_MODULE(_native, m) {
    nanobind::set_leak_warnings(false);
    setwise::door::bind_label_sets(m);
    setwise::door::bind_crf(m);
    setwise::door::bind_decision(m);
    setwise::door::bind_learners(m);
    setwise::door::bind_mixture(m);
    setwise::door::bind_networks(m);
    setwise::door::bind_quasi_newton(m);
    setwise::door::bind_chain(m);
    setwise::door::bind_scores(m);
    setwise::door::bind_text(m);
    m.def("uses_avx2", &setwise::machine_has_avx2);
}
