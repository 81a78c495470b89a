// How the fields of a sample are read: one reader a field, with options that a Spec names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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

// An image, decoded or taken as it is, through its ops into the slot.
struct ImageReader {
  transform::Chain chain;
  transform::PixelFormat format;
  decode::DecodeOptions decode;
  std::uint16_t first_op = 0;  // number of its first op among all of the Spec
  bool is_raw = false;         // rows of pixels in memory: nothing to decode
  ImageSize raw_size;
};

// A whole number, from text or from a column of numbers.
struct LabelReader {};

// A column of arrays, as it is.
struct ArrayReader {};

struct FieldPlan {
  std::string name;                // in the batch
  std::vector<int> source_fields;  // the first that a sample has is taken
  source::FieldKind kind = source::FieldKind::kBytes;
  DType dtype = DType::kU8;  // in the batch
  Shape shape;               // of one sample in the batch
  std::variant<ImageReader, LabelReader, ArrayReader> reader;

  bool is_in_storage() const { return kind == source::FieldKind::kBytes; }
  // Where this sample's bytes lie. kNotFound if it has none of source_fields.
  Result<source::Piece> locate(const source::Source& source, std::uint64_t sample) const;
};

// Checks a field against what the source has. `first_op` numbers the ops over all fields.
Result<FieldPlan> plan_field(const FieldSpec& spec, const source::Source& source,
                             std::uint16_t first_op);

// The readers there are, with their options, for docs and signatures.
struct ReaderDoc {
  std::string_view name;
  std::string_view doc;
  std::vector<FieldDoc> options;
};
std::vector<ReaderDoc> reader_docs();

}  // namespace penstock::pipeline
