// Turning values into the words of a message.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace penstock {

inline void append_text(std::string& out, std::string_view part) { out += part; }
inline void append_text(std::string& out, char part) { out += part; }

// A template, so that a pointer does not turn into a bool.
template <std::same_as<bool> Bool>
void append_text(std::string& out, Bool part) {
  out += part ? "true" : "false";
}

// The shortest text that reads back as the same number.
template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::same_as<Number, bool>)
void append_text(std::string& out, Number part) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
  out.append(digits, end);
}

// The parts one after the other: concat("found ", 3, ", expected ", 4).
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

// 16 digits, for names made from hashes.
inline std::string hexadecimal(std::uint64_t value) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) digits[i] = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace penstock
