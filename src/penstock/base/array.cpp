// Element types and shapes.
#include "penstock/base/array.h"

#include <algorithm>
#include <cassert>

#include "penstock/base/text.h"

namespace penstock {
namespace {

struct TypeEntry {
  DType type;
  std::string_view name;
  std::size_t size_bytes;
};

constexpr TypeEntry kTypes[] = {
    {DType::kU8, "u8", 1},   {DType::kI32, "i32", 4},   {DType::kI64, "i64", 8},
    {DType::kF16, "f16", 2}, {DType::kBF16, "bf16", 2}, {DType::kF32, "f32", 4},
    {DType::kF64, "f64", 8},
};

const TypeEntry& entry(DType type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_bytes(DType type) { return entry(type).size_bytes; }

std::string_view dtype_name(DType type) { return entry(type).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const TypeEntry& candidate : kTypes) {
    if (candidate.name == name) return candidate.type;
  }
  return std::nullopt;
}

Shape::Shape(std::initializer_list<std::int64_t> sides)
    : Shape(std::span(sides.begin(), sides.size())) {}

Shape::Shape(std::span<const std::int64_t> sides) : rank_(static_cast<int>(sides.size())) {
  assert(sides.size() <= kMaxRank);
  std::ranges::copy(sides, sides_.begin());
}

std::size_t Shape::size() const {
  std::size_t product = 1;
  for (const std::int64_t side : sides()) product *= static_cast<std::size_t>(side);
  return product;
}

std::string Shape::text() const {
  if (rank_ == 0) return "scalar";
  std::string out;
  for (const std::int64_t side : sides()) {
    if (!out.empty()) out += 'x';
    append_text(out, side);
  }
  return out;
}

}  // namespace penstock
