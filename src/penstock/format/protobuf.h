// protozero in the terms of this library. Included by .cpp files of this layer only.
#pragma once

#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

// Tags with wire types, as pbf_reader::tag_and_type() gives them.
constexpr std::uint32_t length_delimited(std::uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}

inline protozero::data_view view_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline Bytes bytes_of(protozero::data_view view) {
  return {reinterpret_cast<const std::byte*>(view.data()), view.size()};
}

inline std::string_view text_of(protozero::data_view view) { return {view.data(), view.size()}; }

// What `read` returns. protozero throws on damage: here that becomes kCorrupt.
template <class Read>
Status without_exceptions(Read read) {
  try {
    return read();
  } catch (const protozero::exception& exception) {
    return corrupt("damaged protobuf message: ", exception.what());
  }
}

}  // namespace penstock::format
