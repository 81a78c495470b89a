// A running pipeline: batches out, as arrays that share the slot's memory.
#include "penstock/deliver/run.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings.h"
#include "penstock/analyze/trace.h"
#include "penstock/deliver/machine.h"

namespace penstock::python {
namespace {

using batch::Batch;
using deliver::Run;

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
  const Bytes array = batch->array(field);
  std::vector<std::size_t> shape = {layout.is_ragged ? array.size() / layout.sample_bytes
                                                     : batch->count};
  for (const std::int64_t side : layout.shape.sides())
    shape.push_back(static_cast<std::size_t>(side));
  auto* data = const_cast<std::byte*>(array.data());
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

void check_ragged(const std::shared_ptr<const Batch>& batch, std::size_t field) {
  if (field >= batch->layout.fields().size()) throw nb::index_error();
  if (!batch->layout.fields()[field].is_ragged)
    raise(invalid_argument("field ", field, " is not ragged"));
}

template <class... Framework>
nb::object offsets_of(const std::shared_ptr<const Batch>& batch, std::size_t field) {
  const auto offsets = batch->offsets(field);
  return nb::cast(nb::ndarray<std::int64_t, Framework...>(const_cast<std::int64_t*>(offsets.data()),
                                                          {offsets.size()}, owner_of(batch)));
}

nb::object field_offsets(const std::shared_ptr<const Batch>& batch, std::size_t field,
                         bool is_numpy) {
  check_ragged(batch, field);
  return is_numpy ? offsets_of<nb::numpy>(batch, field) : offsets_of<>(batch, field);
}

// A list of Python values made from each sample's bytes: nb::bytes, nb::str.
template <class Value>
nb::list field_list(const std::shared_ptr<const Batch>& batch, std::size_t field) {
  check_ragged(batch, field);
  const auto* bytes = reinterpret_cast<const char*>(batch->array(field).data());
  const std::size_t row_bytes = batch->layout.fields()[field].sample_bytes;
  const auto offsets = batch->offsets(field);
  nb::list out;
  for (std::size_t i = 0; i < batch->count; ++i) {
    const auto begin = static_cast<std::size_t>(offsets[i]) * row_bytes;
    const auto end = static_cast<std::size_t>(offsets[i + 1]) * row_bytes;
    out.append(Value(bytes + begin, end - begin));
  }
  return out;
}

nb::object sample_ids(const std::shared_ptr<const Batch>& batch) {
  auto* data = const_cast<std::uint64_t*>(batch->samples.data());
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t>(data, {batch->count}, owner_of(batch)));
}

using MaxErrors = std::variant<std::uint64_t, double>;

deliver::ErrorOptions error_options(std::string_view on_error, const MaxErrors& max_errors,
                                    std::string manifest, std::uint64_t num_known) {
  deliver::ErrorOptions options{.manifest = std::move(manifest), .num_known = num_known};
  if (!field_detail::parse_value(on_error, options.on_error)) {
    raise(invalid_argument("on_error is ", on_error, ", expected raise, skip or replace"));
  }
  if (const auto* count = std::get_if<std::uint64_t>(&max_errors)) {
    options.max_count = *count;
  } else {
    options.max_share = std::get<double>(max_errors);
  }
  return options;
}

deliver::EntryPointUse entry_point_use(std::string_view text) {
  deliver::EntryPointUse use = deliver::EntryPointUse::kLearn;
  if (!field_detail::parse_value(text, use)) {
    raise(invalid_argument("entry_points is ", text, ", expected learn, use or off"));
  }
  return use;
}

std::shared_ptr<Run> start_run(std::shared_ptr<const pipeline::Plan> plan, int threads,
                               int prefetch, std::tuple<bool, bool> tunes,
                               std::optional<std::uint64_t> memory_bytes,
                               std::tuple<std::uint32_t, std::uint64_t> begin,
                               std::string_view on_error, const MaxErrors& max_errors,
                               std::string manifest, std::uint64_t num_known_bad,
                               std::string_view entry_points,
                               std::shared_ptr<deliver::SampleCache> sample_cache) {
  const deliver::RunOptions options{
      .threads = threads,
      .prefetch = prefetch,
      .tunes_threads = std::get<0>(tunes),
      .tunes_prefetch = std::get<1>(tunes),
      .memory_bytes = memory_bytes,
      .begin = {std::get<0>(begin), std::get<1>(begin)},
      .errors = error_options(on_error, max_errors, std::move(manifest), num_known_bad),
      .entry_points = entry_point_use(entry_points),
      .sample_cache = std::move(sample_cache)};
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
      .def_prop_ro("end_position", [](const Batch& batch) { return batch.end_position; })
      .def_prop_ro("ids", &sample_ids)
      .def("array", &field_array, nb::arg("field"), nb::arg("numpy"))
      .def("offsets", &field_offsets, nb::arg("field"), nb::arg("numpy"))
      .def("bytes_list", &field_list<nb::bytes>, nb::arg("field"))
      .def("text_list", &field_list<nb::str>, nb::arg("field"));
  [[maybe_unused]] const nb::class_<deliver::SampleCache> sample_cache(
      m, "SampleCache", "Samples that stay in memory.");
  nb::class_<Run>(m, "Run", "A running pipeline. Iterate over it to receive batches.")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &next_batch)
      .def("stop", &Run::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("add_map_time", &Run::add_map_time, nb::arg("time_s"), nb::arg("cpu_s"))
      .def("stats", &stats_dict)
      .def("batch_times", &batch_times_list)
      .def("trace", &analyze::chrome_trace)
      .def("verdict", &verdict_dict, nb::arg("seconds"))
      .def_prop_ro("sample_cache", &Run::sample_cache);
  m.def("start_run", &start_run, nb::arg("plan"), nb::arg("threads"), nb::arg("prefetch"),
        nb::arg("tunes"), nb::arg("memory").none(), nb::arg("begin"), nb::arg("on_error"),
        nb::arg("max_errors"), nb::arg("manifest"), nb::arg("num_known_bad"),
        nb::arg("entry_points"), nb::arg("sample_cache").none());
  m.def("peak_memory_bytes", &deliver::peak_memory_bytes);
}

}  // namespace penstock::python
