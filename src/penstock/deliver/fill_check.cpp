// Looks at content as the readers would, and delivers nothing.
#include <algorithm>

#include "penstock/decode/catalog.h"
#include "penstock/decode/json.h"
#include "penstock/decode/npy.h"
#include "penstock/decode/number.h"
#include "penstock/decode/utf8.h"
#include "penstock/deliver/fill_field.h"

namespace penstock::deliver {
namespace {

using pipeline::Content;

bool is_image(Bytes bytes) {
  return std::ranges::any_of(decode::codecs(),
                             [&](const decode::Codec& codec) { return codec.matches(bytes); });
}

// Every bit of it is read; as coarsely as the codec can, because nobody sees the pixels.
Status check_image(Bytes bytes, const FieldPlace& place) {
  constexpr int kAnyShrink = 8;
  const decode::DecodeOptions options{.checks_sums = true};
  PENSTOCK_TRY_ASSIGN(const ImageSize size, decode::probe_image(bytes, options));
  return decode_image(place, bytes, {{0, 0, size.width, size.height}, kAnyShrink}, options)
      .status();
}

Status check_content(Content content, Bytes bytes, const FieldPlace& place) {
  switch (content) {
    case Content::kImage:
      return check_image(bytes, place);
    case Content::kJson:
      return decode::check_json(bytes);
    case Content::kText:
      return decode::check_utf8(bytes);
    case Content::kNumber:
      return decode::decode_integer(bytes).status();
    case Content::kNpy:
      return decode::parse_npy(bytes).status();
    case Content::kAny:
      break;
  }
  return is_image(bytes) ? check_image(bytes, place) : Status{};
}

Status check_feature(Content content, const FieldPlace& place) {
  if (place.feature.kind != format::FeatureKind::kBytes) {
    return format::count_values(place.feature).status();
  }
  PENSTOCK_TRY(format::read_values(place.feature, place.scratch.values));
  FieldPlace one = place;
  // Entry points are kept by the feature's name: of several images it would be the same.
  if (place.scratch.values.size() > 1) one.piece = nullptr;
  for (const Bytes value : place.scratch.values) {
    PENSTOCK_TRY(check_content(content, value, one));
  }
  return {};
}

}  // namespace

Status fill_check(const pipeline::CheckReader& reader, const FieldPlace& place) {
  switch (place.field.kind) {
    case source::FieldKind::kArray:
      break;
    case source::FieldKind::kBytes:
      PENSTOCK_TRY(check_content(reader.content, place.bytes, place));
      break;
    case source::FieldKind::kFeature:
      PENSTOCK_TRY(check_feature(reader.content, place));
      break;
  }
  return place.sample.batch->rows(place.field.layout_field, place.sample.index, 0).status();
}

}  // namespace penstock::deliver
