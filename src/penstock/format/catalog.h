// The formats of shards.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/decompress.h"

namespace penstock::format {

struct FormatDef {
  std::string_view name;  // "tar", "tar.gz", "tar.zst", "tfrecord", ...
  Compression compression = Compression::kNone;
  std::array<std::string_view, 2> endings;  // of file names, lower case; unused ones are empty
};

std::span<const FormatDef> formats();

// By the first bytes where they tell (tar tells after 262, TFRecord after 12), else by the ending
// of `name`. Fails with kUnsupported, naming the endings that are known.
Result<FormatDef> format_of(std::string_view name, Bytes first_bytes = {});

}  // namespace penstock::format
