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

ImageView raw_image(const pipeline::ImageReader& reader, Bytes bytes) {
  const auto [width, height] = reader.raw_size;
  const int channels = reader.format.channels;
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), width, height, channels,
          static_cast<std::size_t>(width) * static_cast<std::size_t>(channels)};
}

// Pixels in memory: the clock runs on, because two readings would cost as much as a tiny image.
Status fill_pixels(const pipeline::ImageReader& reader, const ImageView& image,
                   const FieldPlace& place) {
  const ImageSize size{image.width, image.height};
  place.stage = Stage::kTransform;
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(size, key_of(place, reader.first_op)));
  transform::render({.pixels = image, .full_size = size}, draw.geometry, draw.colour, reader.format,
                    place.scratch.render, place.slot());
  return {};
}

// All of the image, whatever part this epoch needs.
Result<ImageView> decode_and_keep(const pipeline::ImageReader& reader, const FieldPlace& place) {
  PENSTOCK_TRY_ASSIGN(const Bytes bytes, encoded_bytes(place));
  PENSTOCK_TRY_ASSIGN(const ImageSize size, decode::probe_image(bytes, reader.decode));
  PENSTOCK_TRY_ASSIGN(
      const ImagePart part,
      decode_image(place, bytes, {.region = {0, 0, size.width, size.height}}, reader.decode));
  if (place.piece->image_key) place.scratch.cache->add_image(*place.piece->image_key, part.pixels);
  return part.pixels;
}

Status fill_kept_image(const pipeline::ImageReader& reader, const FieldPlace& place) {
  ImageView image = place.piece->image;
  if (image.data == nullptr) {
    PENSTOCK_TRY_ASSIGN(image, decode_and_keep(reader, place));
    place.clock.lap(Stage::kDecode);
  }
  PENSTOCK_TRY(fill_pixels(reader, image, place));
  place.clock.lap(Stage::kTransform);
  return {};
}

}  // namespace

Result<ImagePart> decode_image(const FieldPlace& place, Bytes image, const ImageRequest& request,
                               const decode::DecodeOptions& options) {
  const bool is_kept = place.piece != nullptr && place.piece->entry_point_key.has_value();
  EntryPointStore* store = is_kept ? place.scratch.entry_points : nullptr;
  decode::DecodeScratch& scratch = place.scratch.decode;
  scratch.learns_entry_points = store != nullptr && store->learns();
  const Bytes known = is_kept ? place.piece->entry_points : Bytes{};
  PENSTOCK_TRY_ASSIGN(const ImagePart part,
                      decode::decode_image({image, known}, request, options, scratch));
  if (scratch.learns_entry_points) store->learn(*place.piece->entry_point_key, scratch.learnt);
  place.clock.add_decoded(part.pixels.stride * static_cast<std::size_t>(part.pixels.height));
  return part;
}

Status fill_image(const pipeline::ImageReader& reader, const FieldPlace& place) {
  if (reader.is_raw) return fill_pixels(reader, raw_image(reader, place.bytes), place);
  if (reader.is_kept) return fill_kept_image(reader, place);
  PENSTOCK_TRY_ASSIGN(const Bytes bytes, encoded_bytes(place));
  PENSTOCK_TRY_ASSIGN(const ImageSize size, decode::probe_image(bytes, reader.decode));
  place.stage = Stage::kTransform;
  PENSTOCK_TRY_ASSIGN(const transform::ImageDraw draw,
                      reader.chain.draw(size, key_of(place, reader.first_op)));
  place.stage = Stage::kDecode;
  PENSTOCK_TRY_ASSIGN(
      const ImagePart part,
      decode_image(place, bytes, transform::needed_part(draw.geometry), reader.decode));
  place.clock.lap(Stage::kDecode);
  transform::render(part, draw.geometry, draw.colour, reader.format, place.scratch.render,
                    place.slot());
  place.clock.lap(Stage::kTransform);
  return {};
}

}  // namespace penstock::deliver
