// What the tests of this layer share. Included by tests only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/base/array.h"

namespace penstock::format {

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A field of a protobuf message with fewer than 128 bytes in it.
inline std::string field(int tag, std::string_view content) {
  std::string out;
  out += static_cast<char>(tag << 3 | 2);
  out += static_cast<char>(content.size());
  out += content;
  return out;
}

inline std::string entry(std::string_view name, std::string_view value) {
  return field(1, field(1, name) + field(2, value));
}

}  // namespace penstock::format
