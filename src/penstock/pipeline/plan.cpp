// From Spec to Plan: open the source, bind the fields, fix the order.
#include "penstock/pipeline/plan.h"

#include <algorithm>
#include <utility>

#include "penstock/base/units.h"

namespace penstock::pipeline {
namespace {

// What the window of shards holds if neither it nor a memory ceiling is given. A constant, so that
// the order does not depend on the machine.
constexpr std::uint64_t kDefaultWindowBytes = std::uint64_t{256} << 20;

bool delivers_rows(const FieldPlan& field) {
  return field.form == Form::kRagged && !std::holds_alternative<CheckReader>(field.reader);
}

// Means over a few samples spread over the source.
SampleBytes estimate_sample_bytes(const source::Source& source,
                                  const std::vector<FieldPlan>& fields) {
  constexpr std::uint64_t kProbes = 256;
  const std::uint64_t num_probes = std::min(kProbes, source.num_samples());
  if (num_probes == 0) return {};
  SampleBytes total;
  for (std::uint64_t i = 0; i < num_probes; ++i) {
    const std::uint64_t sample = i * (source.num_samples() / num_probes);
    bool has_record = false;
    for (const FieldPlan& field : fields) {
      if (!field.is_in_storage()) continue;
      const auto piece = field.locate(source, sample);
      if (!piece.ok()) continue;
      // Of a record, as if the feature were all of it.
      if (delivers_rows(field)) total.ragged += piece->size_bytes;
      // All features lie in one record.
      if (field.kind == source::FieldKind::kFeature && std::exchange(has_record, true)) continue;
      total.stored += piece->size_bytes;
    }
  }
  return {total.stored / num_probes, total.ragged / num_probes};
}

// The field of a batch that says how many rows of a padded field its samples filled.
std::string length_name(const std::string& field) { return concat(field, ".length"); }

Status check_names(const std::vector<FieldPlan>& fields) {
  for (const FieldPlan& field : fields) {
    if (field.form != Form::kPadded) continue;
    const std::string name = length_name(field.name);
    if (std::ranges::find(fields, name, &FieldPlan::name) != fields.end()) {
      return invalid_argument("field '", name, "' is asked for, which is the length of '",
                              field.name, "'");
    }
  }
  return {};
}

Result<std::vector<FieldPlan>> plan_fields(const Spec& spec, const source::Source& source) {
  if (spec.fields.empty()) {
    return invalid_argument("no field is asked for, expected at least one, like image or label");
  }
  std::vector<FieldPlan> fields;
  std::uint16_t first_op = 0;
  for (const FieldSpec& field : spec.fields) {
    for (const FieldPlan& other : fields) {
      if (other.name == field.name)
        return invalid_argument("field '", field.name, "' is asked for twice");
    }
    PENSTOCK_TRY_ASSIGN(FieldPlan plan, plan_field(field, source, first_op));
    fields.push_back(std::move(plan));
    first_op = static_cast<std::uint16_t>(first_op + field.ops.size());
  }
  PENSTOCK_TRY(check_names(fields));
  return fields;
}

// The window in samples; nullopt for global.
Result<std::optional<std::uint64_t>> resolve_window(const std::string& window,
                                                    const OpenSource& source,
                                                    std::uint64_t sample_bytes,
                                                    std::optional<std::uint64_t> memory_bytes) {
  if (window == "global") return std::optional<std::uint64_t>();
  if (window == "auto") {
    if (!source.is_sharded) return std::optional<std::uint64_t>();
    const std::uint64_t size_bytes = memory_bytes ? *memory_bytes / 4 : kDefaultWindowBytes;
    return std::optional(
        std::max<std::uint64_t>(1, size_bytes / std::max<std::uint64_t>(1, sample_bytes)));
  }
  std::uint64_t count = 0;
  if (field_detail::parse_value(window, count) && count > 0) return std::optional(count);
  const auto size_bytes = parse_size_bytes(window);
  if (size_bytes.ok() && *size_bytes > 0) {
    return std::optional(
        std::max<std::uint64_t>(1, *size_bytes / std::max<std::uint64_t>(1, sample_bytes)));
  }
  return invalid_argument("shuffle: window is ", window,
                          ", expected a number of samples, a size like 512MiB, global or auto");
}

Status check_damages(const source::Source& source) {
  if (source.damages().empty()) return {};
  const source::Damage& first = source.damages().front();
  return corrupt(first.source, ": ", first.message);
}

// The datasets that are shuffled by themselves: those of a mix, or the only one.
Result<std::vector<order::Part>> plan_parts(const OpenSource& source,
                                            const order::OrderOptions& options) {
  const std::span<const std::uint64_t> sizes = source.source->shard_sizes();
  std::vector<MixPart> parts = source.parts;
  if (parts.empty()) parts.push_back({.weight = 1, .num_shards = sizes.size()});
  std::vector<order::Part> out;
  std::size_t first = 0;
  for (const MixPart& part : parts) {
    const auto own = sizes.subspan(first, part.num_shards);
    PENSTOCK_TRY_ASSIGN(order::Order order, order::make_order({own.begin(), own.end()}, options));
    out.push_back({std::move(order), part.weight});
    first += part.num_shards;
  }
  return out;
}

// Fixes the window in `spec` and returns what is gone through.
Result<order::Sequence> plan_sequence(Spec& spec, const OpenSource& source,
                                      std::uint64_t sample_bytes,
                                      std::optional<std::uint64_t> memory_bytes) {
  order::OrderOptions options{.seed = spec.seed};
  if (spec.shuffle) {
    PENSTOCK_TRY_ASSIGN(const std::optional<std::uint64_t> window,
                        resolve_window(spec.shuffle->window, source, sample_bytes, memory_bytes));
    spec.shuffle->window = window ? concat(*window) : "global";
    options.shuffle = window ? order::Shuffle::kWindow : order::Shuffle::kGlobal;
    options.window = window.value_or(0);
    options.lanes = spec.shuffle->lanes;
  }
  PENSTOCK_TRY_ASSIGN(std::vector<order::Part> parts, plan_parts(source, options).at("shuffle"));
  return order::make_sequence(
      std::move(parts),
      {.until = source.until, .repeat = spec.repeat, .skip = spec.skip, .take = spec.take});
}

Result<order::Batches> plan_batches(const Spec& spec, std::uint64_t num_positions,
                                    std::uint64_t first_position) {
  order::BatchOptions options{.batch_size = spec.batch.size,
                              .rank = spec.shard->rank,
                              .world = spec.shard->world,
                              .first_position = first_position};
  if (!field_detail::parse_value(spec.batch.last, options.last)) {
    return invalid_argument("batch: last is ", spec.batch.last, ", expected drop, keep or wrap");
  }
  return order::make_batches(num_positions, options).at("batch");
}

Status check_batches(const Spec& spec, const order::Sequence& sequence,
                     const order::Batches& batches) {
  if (batches.num_batches() > 0) return {};
  return invalid_argument("batch: ", sequence.size(), " samples do not fill one batch of ",
                          spec.batch.size, " on each of ", spec.shard->world,
                          " ranks; use last=keep or a smaller batch");
}

// Empty if there is none.
Result<std::optional<storage::CacheOptions>> plan_disk_cache(const Spec& spec) {
  if (!spec.disk_cache) return std::optional<storage::CacheOptions>();
  if (spec.disk_cache->folder.empty()) return invalid_argument("disk_cache: no folder given");
  PENSTOCK_TRY_ASSIGN(const std::uint64_t max_bytes,
                      parse_size_bytes(spec.disk_cache->size).at("disk_cache: size"));
  return std::optional(
      storage::CacheOptions{.folder = spec.disk_cache->folder,
                            .max_bytes = max_bytes,
                            .counters = std::make_shared<storage::CacheCounters>()});
}

void keep_pixels(std::vector<FieldPlan>& fields) {
  for (FieldPlan& field : fields) {
    auto* image = std::get_if<ImageReader>(&field.reader);
    if (image != nullptr && field.is_in_storage()) image->is_kept = true;
  }
}

// Empty if there is none.
Result<std::optional<MemoryCachePlan>> plan_memory_cache(const Spec& spec) {
  if (!spec.memory_cache) return std::optional<MemoryCachePlan>();
  const auto& [size, what] = *spec.memory_cache;
  MemoryCachePlan plan;
  if (!size.empty()) {
    PENSTOCK_TRY_ASSIGN(plan.max_bytes, parse_size_bytes(size).at("memory_cache: size"));
  }
  if (!field_detail::parse_value(what, plan.what)) {
    return invalid_argument("memory_cache: what is ", what, ", expected bytes or pixels");
  }
  return std::optional(plan);
}

}  // namespace

Plan::Plan(Spec spec, OpenSource source, std::vector<FieldPlan> fields, order::Sequence sequence,
           order::Batches batches)
    : spec_(std::move(spec)),
      source_(std::move(source)),
      fields_(std::move(fields)),
      sequence_(std::move(sequence)),
      batches_(batches),
      layout_(spec_.batch.size) {
  for (FieldPlan& field : fields_) place_field(field);
}

void Plan::place_field(FieldPlan& field) {
  field.layout_field = layout_.fields().size();
  if (field.form == Form::kRagged) {
    layout_.add_ragged_field(field.name, field.dtype, field.shape);
  } else {
    layout_.add_field(field.name, field.dtype, field.shape);
  }
  if (field.form == Form::kPadded) layout_.add_field(length_name(field.name), DType::kI64, {});
  if (field.kind == source::FieldKind::kFeature) {
    field.first_feature = features_.size();
    features_.insert(features_.end(), field.source_fields.begin(), field.source_fields.end());
  }
}

std::uint64_t Plan::slot_bytes() const {
  // Rows are held as each sample wrote them and once more one after the other, both with a quarter
  // more room than they need.
  return layout_.size_bytes() + layout_.capacity() * sample_bytes_.ragged * 5 / 2;
}

Result<order::Batches> Plan::batches_from(std::uint64_t first_position) const {
  return plan_batches(spec_, sequence_.size(), first_position);
}

bool Plan::reads_storage() const { return std::ranges::any_of(fields_, &FieldPlan::is_in_storage); }

Result<std::unique_ptr<const Plan>> make_plan(const Spec& asked, const PlanInputs& inputs) {
  Spec spec = asked;
  if (!spec.shard) spec.shard = inputs.launcher;
  if (spec.epochs && *spec.epochs == 0) return invalid_argument("epochs is 0, expected at least 1");

  SourceInputs source_inputs = inputs.source;
  PENSTOCK_TRY_ASSIGN(source_inputs.cache, plan_disk_cache(spec));
  PENSTOCK_TRY_ASSIGN(const std::optional<MemoryCachePlan> memory_cache, plan_memory_cache(spec));
  PENSTOCK_TRY_ASSIGN(OpenSource source, open_source(spec.source, source_inputs));
  if (!inputs.tolerates_damage) PENSTOCK_TRY(check_damages(*source.source));
  PENSTOCK_TRY_ASSIGN(std::vector<FieldPlan> fields, plan_fields(spec, *source.source));
  if (memory_cache && memory_cache->what == CacheContent::kPixels) keep_pixels(fields);
  const SampleBytes sample_bytes = estimate_sample_bytes(*source.source, fields);
  PENSTOCK_TRY_ASSIGN(order::Sequence sequence,
                      plan_sequence(spec, source, sample_bytes.stored, inputs.memory_bytes));
  PENSTOCK_TRY_ASSIGN(order::Batches batches, plan_batches(spec, sequence.size(), 0));
  PENSTOCK_TRY(check_batches(spec, sequence, batches));
  std::unique_ptr<Plan> plan(new Plan(std::move(spec), std::move(source), std::move(fields),
                                      std::move(sequence), batches));
  plan->sample_bytes_ = sample_bytes;
  if (source_inputs.cache) plan->disk_cache_ = source_inputs.cache->counters;
  plan->memory_cache_ = memory_cache;
  return std::unique_ptr<const Plan>(std::move(plan));
}

}  // namespace penstock::pipeline
