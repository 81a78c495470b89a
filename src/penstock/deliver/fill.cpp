// Runs the readers of a plan for one sample.
#include "penstock/deliver/fill.h"

#include <algorithm>
#include <string>
#include <variant>

#include "penstock/deliver/fill_field.h"

namespace penstock::deliver {
namespace {

using format::Feature;
using format::FeatureKind;
using source::FieldKind;

Status fill_field(const FieldPlace& place) {
  struct Fill {
    const FieldPlace& place;
    Status operator()(const pipeline::ImageReader& reader) { return fill_image(reader, place); }
    Status operator()(const pipeline::NumberReader& reader) { return fill_number(reader, place); }
    Status operator()(const pipeline::ArrayReader& reader) { return fill_array(reader, place); }
    Status operator()(const pipeline::NpyReader& reader) { return fill_npy(reader, place); }
    Status operator()(const pipeline::BytesReader& reader) { return fill_bytes(reader, place); }
    Status operator()(const pipeline::CheckReader& reader) { return fill_check(reader, place); }
  };
  return std::visit(Fill{place}, place.field.reader);
}

// Whether the field's image came out of the cache, and with it no bytes.
bool has_image(const Piece& piece) { return piece.image.data != nullptr; }

// All features of a sample lie in one record: they are found at once.
Status find_features(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch) {
  scratch.features.assign(plan.features().size(), {});
  for (std::size_t i = 0; i < plan.fields().size(); ++i) {
    const Piece& record = place.pieces[i];
    if (plan.fields()[i].kind != FieldKind::kFeature || has_image(record)) continue;
    PENSTOCK_TRY(record.status);
    return plan.source().parse_record(place.pick.sample, record.bytes, plan.features(),
                                      scratch.features);
  }
  return {};
}

// The first that the record has of the field's alternatives.
Feature feature_of(const pipeline::FieldPlan& field, const FillScratch& scratch) {
  const auto candidates =
      std::span(scratch.features).subspan(field.first_feature, field.source_fields.size());
  const auto found = std::ranges::find_if(
      candidates, [](const Feature& feature) { return feature.kind != FeatureKind::kMissing; });
  return found == candidates.end() ? Feature{} : *found;
}

// "a, b": what the record has.
std::string feature_names(const source::Source& source, std::uint64_t sample, Bytes record) {
  std::vector<int> fields;
  for (std::size_t i = 0; i < source.fields().size(); ++i) {
    if (source.fields()[i].kind == FieldKind::kFeature) fields.push_back(static_cast<int>(i));
  }
  std::vector<Feature> found(fields.size());
  if (!source.parse_record(sample, record, fields, found).ok()) return {};
  std::string names;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].kind == FeatureKind::kMissing) continue;
    names += concat(names.empty() ? "" : ", ",
                    source.fields()[static_cast<std::size_t>(fields[i])].name);
  }
  return names;
}

// Whether the sample has the field; what it has of it goes into `place`. Fails if it was not read.
Result<bool> find_value(std::size_t number, FieldPlace& place) {
  if (place.piece != nullptr && has_image(*place.piece)) return true;
  const pipeline::FieldPlan& field = place.field;
  const source::Source& source = place.plan.source();
  const std::uint64_t sample = place.sample.pick.sample;
  switch (field.kind) {
    case FieldKind::kArray:
      place.bytes = source.row(sample, field.source_fields[0]);
      return true;
    case FieldKind::kFeature:
      place.feature = feature_of(field, place.scratch);
      return place.feature.kind != FeatureKind::kMissing;
    case FieldKind::kBytes:
      break;
  }
  const Piece& piece = place.sample.pieces[number];
  place.bytes = piece.bytes;
  if (piece.status.ok()) return true;
  // A file may also have gone since it was indexed: that is not a sample without the field.
  if (!field.locate(source, sample).ok()) return false;
  return piece.status.at(field.name);
}

Status fill_missing(std::size_t number, const FieldPlace& place) {
  const pipeline::FieldPlan& field = place.field;
  const auto* reader = std::get_if<pipeline::NumberReader>(&field.reader);
  if (reader != nullptr && reader->fallback) {
    std::ranges::copy(Bytes(*reader->fallback).first(size_bytes(field.dtype)),
                      place.slot().begin());
    return {};
  }
  if (std::holds_alternative<pipeline::CheckReader>(field.reader)) {
    return place.sample.batch->rows(field.layout_field, place.sample.index, 0).status();
  }
  const Piece& piece = place.sample.pieces[number];
  // What locate() said.
  if (field.kind == FieldKind::kBytes) return piece.status;
  const source::Source& source = place.plan.source();
  const std::uint64_t sample = place.sample.pick.sample;
  return not_found("no feature '", field.name,
                   "', it has: ", feature_names(source, sample, piece.bytes));
}

Status fill_one(std::size_t number, FieldPlace& place) {
  place.stage = Stage::kRead;
  if (place.field.is_in_storage()) place.piece = &place.sample.pieces[number];
  PENSTOCK_TRY_ASSIGN(const bool is_there, find_value(number, place));
  if (!is_there) return fill_missing(number, place);
  place.stage = Stage::kDecode;
  return fill_field(place).at(place.field.name);
}

}  // namespace

std::size_t FillScratch::size_bytes() const {
  return decode.size_bytes() + render.size_bytes() + features.capacity() * sizeof(Feature) +
         values.capacity() * sizeof(Bytes) + whole_numbers.capacity() * sizeof(std::int64_t) +
         real_numbers.capacity() * sizeof(float);
}

FillOutcome fill_sample(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch,
                        LapClock& clock) {
  place.batch->samples[place.index] = place.pick.sample;
  FillOutcome outcome;
  if (!plan.features().empty()) {
    outcome.status = find_features(plan, place, scratch);
    if (!outcome.status.ok()) return outcome;
  }
  for (std::size_t i = 0; i < plan.fields().size() && outcome.status.ok(); ++i) {
    FieldPlace field{plan, plan.fields()[i], place, scratch, clock, outcome.stage, {}, {}};
    outcome.status = fill_one(i, field);
  }
  return outcome;
}

}  // namespace penstock::deliver
