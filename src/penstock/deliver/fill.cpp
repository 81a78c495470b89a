// Runs the readers of a plan for one sample.
#include "penstock/deliver/fill.h"

#include <cstring>
#include <variant>

#include "penstock/decode/number.h"
#include "penstock/transform/chain.h"

namespace penstock::deliver {
namespace {

struct FieldPlace {
  const pipeline::Plan& plan;
  const pipeline::FieldPlan& field;
  const SamplePlace& sample;
  Bytes bytes;       // from storage, or the row in memory
  MutableBytes out;  // in the slot
};

RngKey key_of(const FieldPlace& place, std::uint16_t first_op) {
  return {.seed = place.plan.spec().seed,
          .epoch = place.sample.pick.pass,
          .sample = place.sample.pick.sample,
          .op = first_op};
}

ImagePart raw_part(const pipeline::ImageReader& reader, Bytes bytes) {
  const auto [width, height] = reader.raw_size;
  const int channels = reader.format.channels;
  return {.pixels = {reinterpret_cast<const std::uint8_t*>(bytes.data()), width, height, channels,
                     static_cast<std::size_t>(width) * static_cast<std::size_t>(channels)},
          .full_size = reader.raw_size};
}

// Pixels in memory: the clock runs on, because two readings would cost as much as a tiny image.
Status fill_raw_image(const pipeline::ImageReader& reader, const FieldPlace& place,
                      FillScratch& scratch) {
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(reader.raw_size, key_of(place, reader.first_op)));
  transform::render(raw_part(reader, place.bytes), draw.geometry, draw.colour, reader.format,
                    scratch.render, place.out);
  return {};
}

Status fill_encoded_image(const pipeline::ImageReader& reader, const FieldPlace& place,
                          FillScratch& scratch, LapClock& clock) {
  PENSTOCK_TRY_ASSIGN(const ImageSize size, decode::probe_image(place.bytes, reader.decode));
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(size, key_of(place, reader.first_op)));
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode::decode_image(place.bytes, transform::needed_part(draw.geometry),
                                           reader.decode, scratch.decode));
  clock.lap(Stage::kDecode);
  transform::render(part, draw.geometry, draw.colour, reader.format, scratch.render, place.out);
  clock.lap(Stage::kTransform);
  return {};
}

Status fill_field(const FieldPlace& place, FillScratch& scratch, LapClock& clock) {
  if (const auto* image = std::get_if<pipeline::ImageReader>(&place.field.reader)) {
    return image->is_raw ? fill_raw_image(*image, place, scratch)
                         : fill_encoded_image(*image, place, scratch, clock);
  }
  if (place.field.is_in_storage()) {
    PENSTOCK_TRY_ASSIGN(const std::int64_t value, decode::decode_integer(place.bytes));
    std::memcpy(place.out.data(), &value, sizeof value);
  } else {
    std::memcpy(place.out.data(), place.bytes.data(), place.out.size());
  }
  return {};
}

}  // namespace

FillFailure fill_sample(const pipeline::Plan& plan, const SamplePlace& place, FillScratch& scratch,
                        LapClock& clock) {
  place.batch->samples[place.index] = place.pick.sample;
  for (std::size_t i = 0; i < plan.fields().size(); ++i) {
    const pipeline::FieldPlan& field = plan.fields()[i];
    Bytes bytes;
    if (field.is_in_storage()) {
      if (!place.pieces[i].status.ok()) return {place.pieces[i].status, "read"};
      bytes = place.pieces[i].bytes;
    } else {
      bytes = plan.source().row(place.pick.sample, field.source_fields[0]);
    }
    Status status = fill_field({plan, field, place, bytes, place.batch->sample(i, place.index)},
                               scratch, clock);
    if (!status.ok()) return {std::move(status), "decode"};
  }
  return {};
}

}  // namespace penstock::deliver
