// Parses arbitrary text as a manifest. Every line that is accepted must come back from its own
// text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "penstock/deliver/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace penstock::deliver;
  const auto lines = parse_manifest({reinterpret_cast<const char*>(data), size});
  if (!lines.ok()) return lines.status().message().empty() ? (std::abort(), 0) : 0;
  for (const ManifestLine& line : *lines) {
    const auto again = parse_manifest(print_manifest_line(line) + '\n');
    if (!again.ok() || again->size() != 1 || again->front() != line) std::abort();
  }
  return 0;
}
