// Writes lengths before what they measure: every size is computed first, so that no byte is moved.
#include "penstock/format/example_writer.h"

#include <algorithm>
#include <bit>
#include <protozero/pbf_writer.hpp>
#include <type_traits>

namespace penstock::format {
namespace {

constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << 31) - 1;

std::uint64_t varint_size(std::uint64_t value) {
  return (static_cast<std::uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

// Of a field with a tag below 16 and a length.
std::uint64_t field_size(std::uint64_t length) { return 1 + varint_size(length) + length; }

// Of the numbers alone.
std::uint64_t packed_size(const std::vector<std::int64_t>& values) {
  std::uint64_t size = 0;
  for (const std::int64_t value : values) size += varint_size(static_cast<std::uint64_t>(value));
  return size;
}
std::uint64_t packed_size(const std::vector<float>& values) { return 4 * values.size(); }

std::uint64_t list_size(const std::vector<Bytes>& values) {
  std::uint64_t size = 0;
  for (const Bytes value : values) size += field_size(value.size());
  return size;
}
template <class Number>
std::uint64_t list_size(const std::vector<Number>& values) {
  return values.empty() ? 0 : field_size(packed_size(values));
}

// Of everything that has a length of its own, from the inside out.
struct Sizes {
  std::uint64_t list = 0;
  std::uint64_t feature = 0;
  std::uint64_t entry = 0;
};

Sizes sizes_of(const FeatureInput& input) {
  Sizes sizes;
  sizes.list = std::visit([](const auto& values) { return list_size(values); }, input.values);
  sizes.feature = field_size(sizes.list);
  sizes.entry = field_size(input.name.size()) + field_size(sizes.feature);
  return sizes;
}

class Writer {
 public:
  explicit Writer(std::uint64_t size_bytes) { out_.reserve(size_bytes); }

  void begin_field(std::uint32_t tag, std::uint64_t length) {
    out_ += static_cast<char>(tag << 3 | 2);
    varint(length);
  }
  void field(std::uint32_t tag, std::string_view text) {
    begin_field(tag, text.size());
    out_ += text;
  }

  void list(const std::vector<Bytes>& values) {
    for (const Bytes value : values) {
      field(1, {reinterpret_cast<const char*>(value.data()), value.size()});
    }
  }
  template <class Number>
  void list(const std::vector<Number>& values) {
    if (values.empty()) return;
    begin_field(1, packed_size(values));
    for (const Number value : values) number(value);
  }

  std::string finish() && { return std::move(out_); }

 private:
  void varint(std::uint64_t value) { protozero::add_varint_to_buffer(&out_, value); }
  void number(std::int64_t value) { varint(static_cast<std::uint64_t>(value)); }
  void number(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) out_ += static_cast<char>(bits >> shift);
  }

  std::string out_;
};

// The field of Feature that holds such a list.
template <class Values>
constexpr std::uint32_t tag_of() {
  if constexpr (std::is_same_v<Values, std::vector<Bytes>>) return 1;
  if constexpr (std::is_same_v<Values, std::vector<float>>) return 2;
  return 3;
}

void write_feature(Writer& writer, const FeatureInput& input) {
  const Sizes sizes = sizes_of(input);
  writer.begin_field(1, sizes.entry);
  writer.field(1, input.name);
  writer.begin_field(2, sizes.feature);
  std::visit(
      [&]<class Values>(const Values& values) {
        writer.begin_field(tag_of<Values>(), sizes.list);
        writer.list(values);
      },
      input.values);
}

}  // namespace

Result<std::string> encode_example(std::span<const FeatureInput> features) {
  std::vector<const FeatureInput*> sorted;
  sorted.reserve(features.size());
  for (const FeatureInput& feature : features) sorted.push_back(&feature);
  std::ranges::sort(sorted, {}, &FeatureInput::name);
  const auto twice = std::ranges::adjacent_find(sorted, {}, &FeatureInput::name);
  if (twice != sorted.end()) return invalid_argument("two features are named ", (*twice)->name);

  std::uint64_t size = 0;
  for (const FeatureInput* feature : sorted) size += field_size(sizes_of(*feature).entry);
  if (size > kMaxBytes) {
    return invalid_argument("the example has ", size, " bytes, expected at most ", kMaxBytes);
  }
  Writer writer(field_size(size));
  writer.begin_field(1, size);
  for (const FeatureInput* feature : sorted) write_feature(writer, *feature);
  return std::move(writer).finish();
}

}  // namespace penstock::format
