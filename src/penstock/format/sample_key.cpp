// The rule of the webdataset package, base_plus_ext(), as a scan. One deliberate difference: that
// one's pattern takes "a/.x.jpg" for a part of the sample "a/".
#include "penstock/format/sample_key.h"

#include <algorithm>

namespace penstock::format {

std::optional<SampleKey> split_sample_key(std::string_view record_name) {
  const std::size_t slash = record_name.rfind('/');
  const std::size_t base = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = record_name.find('.', base);
  if (dot == std::string_view::npos || dot == base) return std::nullopt;
  SampleKey split{record_name.substr(0, dot), std::string(record_name.substr(dot + 1))};
  std::transform(split.extension.begin(), split.extension.end(), split.extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return split;
}

}  // namespace penstock::format
