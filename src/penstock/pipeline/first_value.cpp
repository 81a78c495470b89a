// Reads a field of the first samples.
#include "penstock/pipeline/first_value.h"

#include <utility>

#include "penstock/storage/storage.h"

namespace penstock::pipeline {
namespace {

using source::FieldKind;

// One that is broken must not keep the others from being read.
constexpr int kMaxReads = 16;

Status find_feature(const source::Source& source, const FieldPlan& plan, std::uint64_t sample,
                    FieldValue& value) {
  for (const int field : plan.source_fields) {
    PENSTOCK_TRY(source.parse_record(sample, value.memory, {&field, 1}, {&value.feature, 1}));
    if (value.feature.kind != format::FeatureKind::kMissing) return {};
  }
  return not_found("no feature '", plan.name, "'");
}

Result<FieldValue> read_value(const source::Source& source, const FieldPlan& plan,
                              const source::Piece& piece, std::uint64_t sample) {
  FieldValue value;
  value.memory.resize(piece.size_bytes);
  storage::ReadRequest request{
      .path = source.object_path(piece.object), .offset = piece.offset, .out = value.memory};
  source.storage(piece.object)->read({&request, 1});
  PENSTOCK_TRY(request.status);
  value.bytes = value.memory;
  if (plan.kind == FieldKind::kFeature) PENSTOCK_TRY(find_feature(source, plan, sample, value));
  return value;
}

}  // namespace

Status learn_from_first(const source::Source& source, const FieldPlan& plan,
                        const std::function<Status(const FieldValue&)>& learn) {
  Status first_failure;
  int num_reads = 0;
  for (std::uint64_t sample = 0; sample < source.num_samples() && num_reads < kMaxReads; ++sample) {
    const auto piece = plan.locate(source, sample);
    if (!piece.ok()) continue;
    ++num_reads;
    const auto value = read_value(source, plan, *piece, sample);
    Status status = value.ok() ? learn(*value) : value.status();
    if (status.ok()) return {};
    if (first_failure.ok()) first_failure = status.at(source.sample_name(sample));
  }
  if (first_failure.ok()) return not_found("no sample has it");
  return first_failure;
}

}  // namespace penstock::pipeline
