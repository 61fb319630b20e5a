// The compiled core's Python module: each kernel registers itself here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of Deixis.";
}
