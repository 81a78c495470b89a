// How the fields of a sample are read: one reader a field, with options that a Spec names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/decode/decode.h"
#include "penstock/pipeline/spec.h"
#include "penstock/source/source.h"
#include "penstock/transform/chain.h"

namespace penstock::pipeline {

// One number of any type, in the first of these bytes.
using Number = std::array<std::byte, 8>;

// An image, decoded or taken as it is, through its ops into the slot.
struct ImageReader {
  transform::Chain chain;
  transform::PixelFormat format;
  decode::DecodeOptions decode;
  std::uint16_t first_op = 0;  // number of its first op among all of the Spec
  bool is_raw = false;         // rows of pixels in memory: nothing to decode
  bool is_kept = false;        // decoded whole, because its pixels are kept for later epochs
  ImageSize raw_size;
};

// One number, from text, a column of numbers or a feature. Of a whole type it must be whole.
struct NumberReader {
  std::optional<Number> fallback;  // for samples that lack the field, of the field's type
};

// Numbers of a column or of a feature.
struct ArrayReader {};

// Numbers of an .npy file. If not told to convert, the file must be of the field's type.
struct NpyReader {
  bool converts = false;
};

enum class TextCheck : std::uint8_t { kNone, kUtf8, kJson };

// Bytes as they are, once they passed the check.
struct BytesReader {
  TextCheck check = TextCheck::kNone;
};

// What the name of a field promises.
enum class Content : std::uint8_t { kAny, kImage, kJson, kText, kNumber, kNpy };

// Delivers no rows, once the content was found to be in order. A sample may lack the field.
struct CheckReader {
  Content content = Content::kAny;
};

// How a field lies in the batch.
enum class Form : std::uint8_t {
  kFixed,   // of every sample as many numbers
  kPadded,  // so too, of which a sample fills the first rows; a second field says how many
  kRagged,  // of every sample as many rows as it has
};

struct FieldPlan {
  std::string name;                // in the batch
  std::vector<int> source_fields;  // the first that a sample has is taken
  source::FieldKind kind = source::FieldKind::kBytes;
  DType dtype = DType::kU8;  // in the batch
  Shape shape;               // of one sample in the batch; kRagged: of one row
  Form form = Form::kFixed;
  Number pad{};  // kPadded: fills the rows that a sample lacks, of type dtype
  std::variant<ImageReader, NumberReader, ArrayReader, NpyReader, BytesReader, CheckReader> reader;

  std::size_t layout_field = 0;   // in the batch's layout; kPadded: the lengths are in the next
  std::size_t first_feature = 0;  // kFeature: of source_fields[0] in Plan::features()

  bool is_in_storage() const { return kind != source::FieldKind::kArray; }
  bool keeps_pixels() const {
    const auto* image = std::get_if<ImageReader>(&reader);
    return image != nullptr && image->is_kept;
  }
  // Of one row of a field that is not kFixed.
  Shape row_shape() const {
    return form == Form::kPadded ? Shape(shape.sides().subspan(1)) : shape;
  }
  // Where this sample's bytes lie. kNotFound if it has none of source_fields, naming the sample.
  Result<source::Piece> locate(const source::Source& source, std::uint64_t sample) const;
};

// Checks a field against what the source has. May read the first samples. `first_op` numbers the
// ops over all fields.
Result<FieldPlan> plan_field(const FieldSpec& spec, const source::Source& source,
                             std::uint16_t first_op);

// What samples of the field are to the one who receives them: "array", "ragged", and of the bytes
// readers "bytes", "text" or "json".
std::string_view content_name(const FieldPlan& field);

// The readers there are, with their options, for docs and signatures.
struct ReaderDoc {
  std::string_view name;
  std::string_view doc;
  std::vector<FieldDoc> options;
};
std::vector<ReaderDoc> reader_docs();

}  // namespace penstock::pipeline
