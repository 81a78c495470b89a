// Which part of an object an answer has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "penstock/storage/http/exchange.h"
#include "penstock/storage/http/numbers.h"

namespace penstock::storage {

// Of "bytes 3-7/10" or "bytes */10".
struct ContentRange {
  std::optional<std::uint64_t> begin;
  std::optional<std::uint64_t> object_size;
};

inline ContentRange content_range(const HttpResponse& response) {
  std::string_view text = response.header("content-range");
  if (!text.starts_with("bytes ")) return {};
  text.remove_prefix(6);
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  return {parse_number(text.substr(0, text.find('-'))), parse_number(text.substr(slash + 1))};
}

}  // namespace penstock::storage
