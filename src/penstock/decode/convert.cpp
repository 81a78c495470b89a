// Numbers of one type to another, one at a time: they come by the few.
#include "penstock/decode/convert.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <utility>

namespace penstock::decode {
namespace {

bool is_whole(DType type) {
  return type == DType::kU8 || type == DType::kI32 || type == DType::kI64;
}

bool is_real(DType type) { return type == DType::kF32 || type == DType::kF64; }

template <class From, class To>
Status convert(Bytes in, DType to, MutableBytes out) {
  const std::size_t count = in.size() / sizeof(From);
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, in.data() + i * sizeof(From), sizeof(From));
    if constexpr (std::integral<From> && std::integral<To>) {
      if (!std::in_range<To>(value)) {
        return corrupt("value ", value, " at place ", i, " does not fit ", dtype_name(to));
      }
    }
    const auto converted = static_cast<To>(value);
    std::memcpy(out.data() + i * sizeof(To), &converted, sizeof(To));
  }
  return {};
}

template <class From>
Status convert_real(Bytes in, DType to, MutableBytes out) {
  return to == DType::kF32 ? convert<From, float>(in, to, out) : convert<From, double>(in, to, out);
}

template <class From>
Status convert_whole(Bytes in, DType to, MutableBytes out) {
  if (to == DType::kU8) return convert<From, std::uint8_t>(in, to, out);
  if (to == DType::kI32) return convert<From, std::int32_t>(in, to, out);
  if (to == DType::kI64) return convert<From, std::int64_t>(in, to, out);
  return convert_real<From>(in, to, out);
}

}  // namespace

bool can_convert(DType from, DType to) {
  if (from == to) return true;
  return is_whole(from) ? is_whole(to) || is_real(to) : is_real(from) && is_real(to);
}

Status convert_numbers(DType from, Bytes in, DType to, MutableBytes out) {
  if (from == to) {
    std::ranges::copy(in, out.begin());
    return {};
  }
  if (!can_convert(from, to)) {
    return invalid_argument("values are ", dtype_name(from), ", which do not convert to ",
                            dtype_name(to));
  }
  if (from == DType::kU8) return convert_whole<std::uint8_t>(in, to, out);
  if (from == DType::kI32) return convert_whole<std::int32_t>(in, to, out);
  if (from == DType::kI64) return convert_whole<std::int64_t>(in, to, out);
  return from == DType::kF32 ? convert_real<float>(in, to, out) : convert_real<double>(in, to, out);
}

}  // namespace penstock::decode
