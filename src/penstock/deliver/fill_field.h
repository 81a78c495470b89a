// Writing one field of one sample. Between the fill files only.
#pragma once

#include "penstock/deliver/fill.h"

namespace penstock::deliver {

// A field of a sample: what there is of it, and where it goes.
struct FieldPlace {
  const pipeline::Plan& plan;
  const pipeline::FieldPlan& field;
  const SamplePlace& sample;
  FillScratch& scratch;
  LapClock& clock;
  Stage& stage;                  // where a failure now would be
  Bytes bytes;                   // from storage, or the row in memory
  format::Feature feature;       // of a kFeature field instead
  const Piece* piece = nullptr;  // that it came in; null if it is a row in memory

  // Of a field that is not ragged: its place in the slot.
  MutableBytes slot() const { return sample.batch->sample(field.layout_field, sample.index); }
};

// What an encoded field is decoded from: its bytes, or those of its feature.
Result<Bytes> encoded_bytes(const FieldPlace& place);

// Decodes the only image of a field, from the entry points that are known of it, and keeps those
// that are learnt.
Result<ImagePart> decode_image(const FieldPlace& place, Bytes image, const ImageRequest& request,
                               const decode::DecodeOptions& options);

Status fill_image(const pipeline::ImageReader& reader, const FieldPlace& place);
Status fill_number(const pipeline::NumberReader& reader, const FieldPlace& place);
Status fill_array(const pipeline::ArrayReader& reader, const FieldPlace& place);
Status fill_npy(const pipeline::NpyReader& reader, const FieldPlace& place);
Status fill_bytes(const pipeline::BytesReader& reader, const FieldPlace& place);
Status fill_check(const pipeline::CheckReader& reader, const FieldPlace& place);

}  // namespace penstock::deliver
