// What the binding files share.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "penstock/base/result.h"

namespace penstock::deliver {
class Run;
}  // namespace penstock::deliver

namespace penstock::python {

namespace nb = nanobind;

// How long waiting for the engine may keep Ctrl-C from being seen.
inline constexpr std::chrono::milliseconds kSignalInterval(50);

// Throws the Python exception that fits the code.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
  if (!status.ok()) raise(status);
}

template <class T>
T check(Result<T> result) {
  if (!result.ok()) raise(result.status());
  return std::move(result).value();
}

// What a run did, as plain Python values.
nb::dict stats_dict(const deliver::Run& run);
nb::list batch_times_list(const deliver::Run& run);
nb::dict verdict_dict(const deliver::Run& run, double seconds);

void bind_errors(nb::module_& m);
void bind_catalog(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_run(nb::module_& m);
void bind_serve(nb::module_& m);
void bind_tfrecord(nb::module_& m);

}  // namespace penstock::python
