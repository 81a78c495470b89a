// The list of formats. A new one is added here.
#include "penstock/format/catalog.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "penstock/format/tfrecord_reader.h"

namespace penstock::format {
namespace {

constexpr std::array<FormatDef, 5> kFormats{{
    {"tar", Compression::kNone, {".tar", ""}},
    {"tar.gz", Compression::kGzip, {".tar.gz", ".tgz"}},
    {"tar.zst", Compression::kZstd, {".tar.zst", ".tzst"}},
    {"tfrecord", Compression::kNone, {".tfrecord", ".tfrecords"}},
    {"tfrecord.gz", Compression::kGzip, {".tfrecord.gz", ".tfrecords.gz"}},
}};

bool has_tar_magic(Bytes first_bytes) {
  constexpr std::size_t kOffset = 257;
  constexpr std::string_view kMagic = "ustar";
  if (first_bytes.size() < kOffset + kMagic.size()) return false;
  return std::equal(kMagic.begin(), kMagic.end(), first_bytes.begin() + kOffset,
                    [](char m, std::byte b) { return static_cast<std::byte>(m) == b; });
}

bool has_ending(const FormatDef& format, std::string_view name) {
  return std::ranges::any_of(format.endings, [&](std::string_view ending) {
    return !ending.empty() && name.ends_with(ending);
  });
}

// What the bytes say; nullptr if they say nothing. Compressed bytes do not say what is in them:
// then the name chooses, and a tar is the most likely.
const FormatDef* format_of_bytes(std::string_view name, Bytes first_bytes) {
  const Compression compression = compression_of(first_bytes);
  const bool is_tar = has_tar_magic(first_bytes);
  const bool is_tfrecord = !is_tar && first_bytes.size() >= kTfrecordHeaderBytes &&
                           tfrecord_length(first_bytes).has_value();
  if (compression == Compression::kNone && !is_tar && !is_tfrecord) return nullptr;
  const FormatDef* first = nullptr;
  for (const FormatDef& format : kFormats) {
    if (is_tfrecord ? format.name != "tfrecord" : format.compression != compression) continue;
    if (first == nullptr) first = &format;
    if (compression != Compression::kNone && has_ending(format, name)) return &format;
  }
  return first;
}

}  // namespace

std::span<const FormatDef> formats() { return kFormats; }

Result<FormatDef> format_of(std::string_view name, Bytes first_bytes) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (const FormatDef* format = format_of_bytes(lower, first_bytes)) return *format;
  std::string known;
  for (const FormatDef& format : kFormats) {
    if (has_ending(format, lower)) return format;
    for (const std::string_view ending : format.endings) {
      if (!ending.empty()) known += concat(known.empty() ? "" : ", ", ending);
    }
  }
  return unsupported("no known format by name or first bytes, expected one of ", known);
}

}  // namespace penstock::format
