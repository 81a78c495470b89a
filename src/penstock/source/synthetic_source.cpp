// Random images that cost nothing to fetch: what a pipeline does with them is its upper bound.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/base/rng.h"
#include "penstock/source/source.h"

namespace penstock::source {
namespace {

constexpr std::uint64_t kMaxImages = 16;
constexpr std::uint64_t kMaxPoolBytes = std::uint64_t{64} << 20;  // unless one image is larger
constexpr std::uint64_t kMaxImageElements = std::uint64_t{1} << 26;
constexpr std::uint64_t kMaxClasses = std::uint64_t{1} << 24;

// m / 1024 as a 16-bit float, for m below 1024. Exact.
std::uint16_t half_of_1024th(std::uint32_t m) {
  if (m == 0) return 0;
  const int exponent = std::bit_width(m) - 1;
  const std::uint32_t mantissa = (m << (10 - exponent)) & 0x3FF;
  return static_cast<std::uint16_t>(static_cast<std::uint32_t>(exponent + 5) << 10 | mantissa);
}

// Integers in [0, 256), floats in [0, 1).
void write_random(DType type, std::uint32_t bits, std::byte* out) {
  const auto store = [out](auto value) { std::memcpy(out, &value, sizeof value); };
  const float unit = static_cast<float>(bits >> 8) * 0x1p-24f;
  switch (type) {
    case DType::kU8:
      return store(static_cast<std::uint8_t>(bits >> 24));
    case DType::kI32:
      return store(static_cast<std::int32_t>(bits >> 24));
    case DType::kI64:
      return store(static_cast<std::int64_t>(bits >> 24));
    case DType::kF16:
      return store(half_of_1024th(bits >> 22));
    case DType::kBF16:  // the upper half of a 32-bit float
      return store(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(unit) >> 16));
    case DType::kF32:
      return store(unit);
    case DType::kF64:
      return store(static_cast<double>(unit));
  }
}

void fill_image(MutableBytes out, const SyntheticOptions& options, std::uint64_t image) {
  constexpr std::size_t kDrawsPerKey = std::size_t{1} << 16;  // a key is good for 2^18
  const std::size_t step = size_bytes(options.dtype);
  for (std::size_t i = 0; i < out.size() / step;) {
    const auto stretch = static_cast<std::uint32_t>(i / kDrawsPerKey);
    Rng rng(RngKey{.seed = options.seed, .epoch = stretch, .sample = image});
    const std::size_t end = std::min(i + kDrawsPerKey, out.size() / step);
    for (; i < end; ++i) write_random(options.dtype, rng.next_u32(), out.data() + i * step);
  }
}

Status check_options(const SyntheticOptions& options) {
  if (options.samples == 0) return invalid_argument("samples is 0, expected 1 or more");
  if (options.classes == 0 || options.classes > kMaxClasses) {
    return invalid_argument("classes is ", options.classes, ", expected 1 to ", kMaxClasses);
  }
  std::uint64_t elements = 1;
  for (const std::int64_t side : options.shape.sides()) {
    const bool fits = side > 0 && static_cast<std::uint64_t>(side) <= kMaxImageElements / elements;
    if (!fits) {
      return invalid_argument("shape is ", options.shape.text(), ", expected sides of 1 or more ",
                              "and at most ", kMaxImageElements, " elements");
    }
    elements *= static_cast<std::uint64_t>(side);
  }
  return {};
}

class SyntheticSource final : public Source {
 public:
  explicit SyntheticSource(const SyntheticOptions& options)
      : options_(options),
        fields_{FieldInfo{"image", FieldKind::kArray, options.dtype, options.shape},
                FieldInfo{"label", FieldKind::kArray, DType::kI64, Shape{}}},
        image_bytes_(options.shape.size() * size_bytes(options.dtype)),
        num_images_(std::min(options.samples, std::clamp(kMaxPoolBytes / image_bytes_,
                                                         std::uint64_t{1}, kMaxImages))),
        images_(num_images_ * image_bytes_),
        labels_(std::min(options.samples, options.classes)) {
    for (std::uint64_t i = 0; i < num_images_; ++i) {
      fill_image(std::span(images_).subspan(i * image_bytes_, image_bytes_), options, i);
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<std::int64_t>(i);
  }

  std::uint64_t num_samples() const override { return options_.samples; }
  std::span<const std::uint64_t> shard_sizes() const override { return {&options_.samples, 1}; }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t, int field) const override {
    return internal_error("field ", field, " is an array and lies in no storage");
  }
  const storage::Storage* storage(std::uint32_t) const override { return nullptr; }
  std::string_view object_path(std::uint32_t) const override { return {}; }

  Bytes row(std::uint64_t sample, int field) const override {
    if (field == 0) {
      return Bytes(images_).subspan(sample % num_images_ * image_bytes_, image_bytes_);
    }
    return std::as_bytes(std::span(labels_).subspan(sample % options_.classes, 1));
  }

  std::string sample_name(std::uint64_t sample) const override { return concat("sample ", sample); }
  Origin origin(std::uint64_t sample) const override { return {"synthetic", sample, {}}; }
  std::span<const std::string> classes() const override { return {}; }

  std::uint64_t memory_bytes() const override { return images_.size() + labels_.size() * 8; }

  std::uint64_t fingerprint() const override {
    std::uint64_t hash = hash_text(options_.shape.text(), hash_text("synthetic"));
    hash = combine_hash(hash, static_cast<std::uint64_t>(options_.dtype));
    for (const std::uint64_t value : {options_.samples, options_.classes, options_.seed}) {
      hash = combine_hash(hash, value);
    }
    return hash;
  }

 private:
  SyntheticOptions options_;
  std::array<FieldInfo, 2> fields_;
  std::size_t image_bytes_;
  std::uint64_t num_images_;
  std::vector<std::byte> images_;
  std::vector<std::int64_t> labels_;
};

}  // namespace

Result<std::unique_ptr<Source>> make_synthetic_source(const SyntheticOptions& options) {
  PENSTOCK_TRY(check_options(options));
  return std::unique_ptr<Source>(std::make_unique<SyntheticSource>(options));
}

}  // namespace penstock::source
