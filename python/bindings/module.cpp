// The extension module penstock._core.
#include "bindings.h"

NB_MODULE(_core, m) {
  m.doc() = "The engine of penstock.";
  penstock::python::bind_errors(m);
  penstock::python::bind_catalog(m);
  penstock::python::bind_plan(m);
  penstock::python::bind_run(m);
  penstock::python::bind_serve(m);
  penstock::python::bind_tfrecord(m);
}
