// A running pipeline: batches out, as arrays that share the slot's memory.
#include "penstock/deliver/run.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <vector>

#include "bindings.h"
#include "penstock/deliver/machine.h"

namespace penstock::python {
namespace {

using batch::Batch;
using deliver::Run;

// How long a waiting next() may keep Ctrl-C from being seen.
constexpr std::chrono::milliseconds kSignalInterval(50);

nb::dlpack::dtype dlpack_type(DType type) {
  switch (type) {
    case DType::kU8:
      return nb::dtype<std::uint8_t>();
    case DType::kI32:
      return nb::dtype<std::int32_t>();
    case DType::kI64:
      return nb::dtype<std::int64_t>();
    case DType::kF16:
      return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
    case DType::kBF16:
      return {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat), 16, 1};
    case DType::kF32:
      return nb::dtype<float>();
    case DType::kF64:
      return nb::dtype<double>();
  }
  return nb::dtype<std::uint8_t>();
}

// A capsule that holds the batch, so that an array may outlive the run.
nb::capsule owner_of(std::shared_ptr<const Batch> batch) {
  return {new std::shared_ptr<const Batch>(std::move(batch)),
          [](void* p) noexcept { delete static_cast<std::shared_ptr<const Batch>*>(p); }};
}

// The consumer may write into the array: the slot is its own until it lets go.
template <class... Framework>
nb::object array_of(const std::shared_ptr<const Batch>& batch, std::size_t field) {
  const batch::FieldLayout& layout = batch->layout.fields()[field];
  std::vector<std::size_t> shape = {batch->count};
  for (const std::int64_t side : layout.shape.sides())
    shape.push_back(static_cast<std::size_t>(side));
  auto* data = const_cast<std::byte*>(batch->array(field).data());
  return nb::cast(nb::ndarray<Framework...>(data, shape.size(), shape.data(), owner_of(batch),
                                            nullptr, dlpack_type(layout.dtype)));
}

nb::object next_batch(Run& run) {
  while (true) {
    auto batch = [&] {
      const nb::gil_scoped_release unlocked;  // the engine never needs Python
      return run.next_within(kSignalInterval);
    }();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!batch) continue;
    auto handed = check(std::move(*batch));
    if (handed == nullptr) throw nb::stop_iteration();
    return nb::cast(std::move(handed));
  }
}

nb::object field_array(const std::shared_ptr<const Batch>& batch, std::size_t field,
                       bool is_numpy) {
  if (field >= batch->layout.fields().size()) throw nb::index_error();
  return is_numpy ? array_of<nb::numpy>(batch, field) : array_of<>(batch, field);
}

nb::object sample_ids(const std::shared_ptr<const Batch>& batch) {
  auto* data = const_cast<std::uint64_t*>(batch->samples.data());
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t>(data, {batch->count}, owner_of(batch)));
}

nb::dict stage_dict(const std::vector<deliver::StageStats>& stages) {
  nb::dict out;
  for (const auto& stage : stages) {
    out[nb::str(stage.name.data(), stage.name.size())] = stage.busy_s;
  }
  return out;
}

nb::dict stats_dict(const Run& run) {
  const deliver::RunStats stats = run.stats();
  nb::dict out;
  out["threads"] = stats.threads;
  out["samples"] = stats.samples;
  out["batches"] = stats.batches;
  out["read_bytes"] = stats.read_bytes;
  out["elapsed_s"] = stats.elapsed_s;
  out["consumer_wait_s"] = stats.consumer_wait_s;
  out["reader_s"] = stage_dict(stats.reader_stages);
  out["worker_s"] = stage_dict(stats.worker_stages);
  out["slot_bytes"] = stats.slot_bytes;
  return out;
}

std::unique_ptr<Run> start_run(std::shared_ptr<const pipeline::Plan> plan, int threads,
                               int prefetch, std::optional<std::uint64_t> memory_bytes,
                               std::uint32_t first_epoch) {
  const deliver::RunOptions options{.threads = threads,
                                    .prefetch = prefetch,
                                    .memory_bytes = memory_bytes,
                                    .first_epoch = first_epoch};
  auto run = [&] {
    const nb::gil_scoped_release unlocked;
    return Run::start(std::move(plan), options);
  }();
  return check(std::move(run));
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", "One batch in its slot.")
      .def_prop_ro("count", [](const Batch& batch) { return batch.count; })
      .def_prop_ro("epoch", [](const Batch& batch) { return batch.epoch; })
      .def_prop_ro("number", [](const Batch& batch) { return batch.number; })
      .def_prop_ro("ids", &sample_ids)
      .def("array", &field_array, nb::arg("field"), nb::arg("numpy"));
  nb::class_<Run>(m, "Run", "A running pipeline. Iterate over it to receive batches.")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &next_batch)
      .def("stop", &Run::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("stats", &stats_dict);
  m.def("start_run", &start_run, nb::arg("plan"), nb::arg("threads"), nb::arg("prefetch"),
        nb::arg("memory").none(), nb::arg("first_epoch"));
  m.def("peak_memory_bytes", &deliver::peak_memory_bytes);
}

}  // namespace penstock::python
