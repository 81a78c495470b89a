// Images: decode what the drawn geometry needs, and render it into the slot.
#include "penstock/deliver/fill_field.h"
#include "penstock/transform/chain.h"

namespace penstock::deliver {
namespace {

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
Status fill_raw_image(const pipeline::ImageReader& reader, const FieldPlace& place) {
  place.stage = Stage::kTransform;
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(reader.raw_size, key_of(place, reader.first_op)));
  transform::render(raw_part(reader, place.bytes), draw.geometry, draw.colour, reader.format,
                    place.scratch.render, place.slot());
  return {};
}

}  // namespace

Status fill_image(const pipeline::ImageReader& reader, const FieldPlace& place) {
  if (reader.is_raw) return fill_raw_image(reader, place);
  PENSTOCK_TRY_ASSIGN(const Bytes bytes, encoded_bytes(place));
  PENSTOCK_TRY_ASSIGN(const ImageSize size, decode::probe_image(bytes, reader.decode));
  place.stage = Stage::kTransform;
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(size, key_of(place, reader.first_op)));
  place.stage = Stage::kDecode;
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode::decode_image(bytes, transform::needed_part(draw.geometry),
                                           reader.decode, place.scratch.decode));
  place.clock.lap(Stage::kDecode);
  transform::render(part, draw.geometry, draw.colour, reader.format, place.scratch.render,
                    place.slot());
  place.clock.lap(Stage::kTransform);
  return {};
}

}  // namespace penstock::deliver
