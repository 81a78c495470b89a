// A Status becomes a Python exception.
#include <string>

#include "bindings.h"

namespace penstock::python {
namespace {

// penstock.DataError; lives as long as the module.
PyObject*& data_error() {
  static PyObject* type = nullptr;
  return type;
}

PyObject* exception_type(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return PyExc_ValueError;
    case Code::kNotFound:
      return PyExc_FileNotFoundError;
    case Code::kCorrupt:
    case Code::kUnsupported:
      return data_error();
    case Code::kIo:
      return PyExc_OSError;
    case Code::kResourceExhausted:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

}  // namespace

void raise(const Status& status) {
  PyErr_SetString(exception_type(status.code()), std::string(status.message()).c_str());
  throw nb::python_error();
}

void bind_errors(nb::module_& m) {
  data_error() = PyErr_NewExceptionWithDoc("penstock.DataError",
                                           "Data that is damaged, or of a kind that is not read.",
                                           PyExc_ValueError, nullptr);
  m.attr("DataError") = nb::borrow(data_error());
}

}  // namespace penstock::python
