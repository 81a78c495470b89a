// A checked pipeline: Spec text and arrays in, Plan out.
#include "penstock/pipeline/plan.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <future>
#include <memory>
#include <stop_token>
#include <tuple>

#include "bindings.h"
#include "penstock/base/units.h"
#include "penstock/deliver/machine.h"
#include "penstock/pipeline/state.h"

namespace penstock::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using NamedArrays = std::vector<std::tuple<std::string, Array>>;
using Tables = std::vector<NamedArrays>;

DType dtype_of(const std::string& name, const Array& array) {
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<std::uint8_t>()) return DType::kU8;
  if (type == nb::dtype<std::int32_t>()) return DType::kI32;
  if (type == nb::dtype<std::int64_t>()) return DType::kI64;
  if (type == nb::dtype<float>()) return DType::kF32;
  if (type == nb::dtype<double>()) return DType::kF64;
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) && type.bits == 16) {
    return DType::kF16;
  }
  raise(invalid_argument("arrays: ", name,
                         " has an element type that is not known, expected u8, i32, "
                         "i64, f16, f32 or f64"));
}

source::ArrayColumn column_of(const std::string& name, const Array& array) {
  if (array.ndim() < 1 || array.ndim() > Shape::kMaxRank + 1) {
    raise(invalid_argument("arrays: ", name, " has ", array.ndim(), " dimensions, expected 1 to ",
                           Shape::kMaxRank + 1, ", the first over the samples"));
  }
  std::vector<std::int64_t> sides;
  for (std::size_t axis = 1; axis < array.ndim(); ++axis) {
    sides.push_back(static_cast<std::int64_t>(array.shape(axis)));
  }
  return {.info = {.name = name,
                   .kind = source::FieldKind::kArray,
                   .dtype = dtype_of(name, array),
                   .shape = Shape(sides)},
          .rows = Bytes(static_cast<const std::byte*>(array.data()), array.nbytes())};
}

// Calls a Python function, which the caller keeps, from the thread that builds an index. Copies of
// it are made and dropped without the lock that counting references needs.
source::ProgressFn progress_fn(const nb::object& function) {
  if (function.is_none()) return {};
  return [&function](const source::IndexProgress& progress) {
    const nb::gil_scoped_acquire locked;
    function(progress.what, progress.done, progress.total);
  };
}

// Does the work in a thread of its own, because only this one hears of Ctrl-C.
template <class Work>
auto interruptible(std::stop_source& stop, Work work) {
  auto result = std::async(std::launch::async, work);
  while (true) {
    const auto state = [&] {
      const nb::gil_scoped_release unlocked;
      return result.wait_for(kSignalInterval);
    }();
    if (state == std::future_status::ready) return result.get();
    if (PyErr_CheckSignals() == 0) continue;
    stop.request_stop();
    {
      const nb::gil_scoped_release unlocked;
      result.wait();
    }
    throw nb::python_error();
  }
}

// A plan borrows its arrays. Its last owner, which may be a thread of the engine, lets go of both.
struct PlanOwner {
  PlanOwner(Tables borrowed, std::unique_ptr<const pipeline::Plan> made)
      : tables(std::move(borrowed)), plan(std::move(made)) {}
  ~PlanOwner() {
    plan.reset();
    const nb::gil_scoped_acquire locked;
    tables.clear();
  }

  Tables tables;
  std::unique_ptr<const pipeline::Plan> plan;
};

std::shared_ptr<const pipeline::Plan> make_plan(std::string_view spec_text, const Tables& tables,
                                                std::optional<std::uint64_t> memory_bytes,
                                                bool tolerates_damage, const nb::object& progress) {
  const pipeline::Spec spec = check(pipeline::parse_spec(spec_text));
  pipeline::PlanInputs inputs;
  inputs.launcher = check(deliver::rank_of_launcher());
  inputs.memory_bytes = memory_bytes;
  inputs.tolerates_damage = tolerates_damage;
  inputs.source.progress = progress_fn(progress);
  for (const NamedArrays& table : tables) {
    auto& columns = inputs.source.arrays.emplace_back();
    for (const auto& [name, array] : table) columns.push_back(column_of(name, array));
  }

  std::stop_source stop;
  inputs.source.stop = stop.get_token();
  auto plan = interruptible(stop, [&] { return pipeline::make_plan(spec, inputs); });
  auto owner = std::make_shared<PlanOwner>(tables, check(std::move(plan)));
  return {owner, owner->plan.get()};
}

// name, type, shape of a sample or of a row, what it is delivered as
using LayoutRow = std::tuple<std::string, std::string, std::vector<std::int64_t>, std::string>;

std::vector<LayoutRow> layout_rows(const pipeline::Plan& plan) {
  std::vector<LayoutRow> rows;
  for (const auto& field : plan.layout().fields()) {
    const auto sides = field.shape.sides();
    rows.emplace_back(field.name, std::string(dtype_name(field.dtype)),
                      std::vector<std::int64_t>(sides.begin(), sides.end()), "array");
  }
  for (const auto& field : plan.fields()) {
    std::get<3>(rows[field.layout_field]) = pipeline::content_name(field);
  }
  return rows;
}

std::vector<std::string> class_names(const pipeline::Plan& plan) {
  const auto classes = plan.source().classes();
  return {classes.begin(), classes.end()};
}

using PlaceTuple = std::tuple<std::uint32_t, std::uint64_t>;

std::string state_text(const pipeline::Plan& plan, const PlaceTuple& place, std::uint64_t batches,
                       std::uint64_t samples, std::uint64_t bad_samples) {
  pipeline::State state = pipeline::initial_state(plan);
  std::tie(state.epoch, state.position) = place;
  state.num_batches = batches;
  state.num_samples = samples;
  state.num_bad = bad_samples;
  return pipeline::print_state(state);
}

// Unless forced, whether the state fits the plan too.
void check_state_text(const pipeline::Plan& plan, std::string_view text, bool is_forced) {
  const pipeline::State state = check(pipeline::parse_state(text));
  if (is_forced) return;
  const Status status = pipeline::check_state(plan, state);
  if (!status.ok()) raise(status);
}

std::vector<std::string> sample_keys(const pipeline::Plan& plan,
                                     const nb::ndarray<const std::uint64_t, nb::ndim<1>>& ids) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < ids.shape(0); ++i) {
    const std::uint64_t sample = ids.data()[i];
    if (sample >= plan.source().num_samples()) raise(invalid_argument("no sample ", sample));
    keys.push_back(plan.source().origin(sample).key);
  }
  return keys;
}

}  // namespace

void bind_plan(nb::module_& m) {
  using pipeline::Plan;
  m.def(
      "parse_size", [](std::string_view text) { return check(parse_size_bytes(text)); },
      nb::arg("text"), "Bytes of a size like 512MiB.");
  nb::class_<Plan>(m, "Plan", "A checked pipeline.")
      .def_prop_ro("spec", [](const Plan& plan) { return pipeline::print_spec(plan.spec()); })
      .def_prop_ro("spec_hash", [](const Plan& plan) { return pipeline::hash_spec(plan.spec()); })
      .def_prop_ro("num_samples", [](const Plan& plan) { return plan.source().num_samples(); })
      .def_prop_ro("samples_per_epoch", [](const Plan& plan) { return plan.sequence().size(); })
      .def_prop_ro(
          "global_batch",
          [](const Plan& plan) { return plan.spec().batch.size * plan.spec().shard->world; })
      .def("batches_from",
           [](const Plan& plan, std::uint64_t position) {
             return check(plan.batches_from(position)).num_batches();
           })
      .def("state", &state_text, nb::arg("place"), nb::arg("batches"), nb::arg("samples"),
           nb::arg("bad_samples"))
      .def("check_state", &check_state_text, nb::arg("state"), nb::arg("force"))
      .def("sample_keys", &sample_keys, nb::arg("ids"))
      .def_prop_ro("classes", &class_names)
      .def_prop_ro("layout", &layout_rows)
      .def("sample_name", [](const Plan& plan, std::uint64_t sample) {
        if (sample >= plan.source().num_samples()) {
          raise(invalid_argument("sample ", sample, " of ", plan.source().num_samples()));
        }
        return plan.source().sample_name(sample);
      });
  m.def("make_plan", &make_plan, nb::arg("spec"), nb::arg("tables"), nb::arg("memory").none(),
        nb::arg("tolerates_damage"), nb::arg("progress").none());
}

}  // namespace penstock::python
