// The list of formats. A new one is added here.
#include "penstock/format/catalog.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace penstock::format {
namespace {

constexpr std::array<FormatDef, 3> kFormats{{
    {"tar", Compression::kNone, {".tar", ""}},
    {"tar.gz", Compression::kGzip, {".tar.gz", ".tgz"}},
    {"tar.zst", Compression::kZstd, {".tar.zst", ".tzst"}},
}};

bool has_tar_magic(Bytes first_bytes) {
  constexpr std::size_t kOffset = 257;
  constexpr std::string_view kMagic = "ustar";
  if (first_bytes.size() < kOffset + kMagic.size()) return false;
  return std::equal(kMagic.begin(), kMagic.end(), first_bytes.begin() + kOffset,
                    [](char m, std::byte b) { return static_cast<std::byte>(m) == b; });
}

const FormatDef& with_compression(Compression compression) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const FormatDef& f) { return f.compression == compression; });
}

}  // namespace

std::span<const FormatDef> formats() { return kFormats; }

Result<FormatDef> format_of(std::string_view name, Bytes first_bytes) {
  // Compressed bytes are taken for a tar: it is the only format that comes compressed.
  const Compression compression = compression_of(first_bytes);
  if (compression != Compression::kNone || has_tar_magic(first_bytes)) {
    return with_compression(compression);
  }
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  std::string known;
  for (const FormatDef& format : kFormats) {
    for (const std::string_view ending : format.endings) {
      if (ending.empty()) continue;
      if (lower.ends_with(ending)) return format;
      known += concat(known.empty() ? "" : ", ", ending);
    }
  }
  return unsupported("no known format by name or first bytes, expected one of ", known);
}

}  // namespace penstock::format
