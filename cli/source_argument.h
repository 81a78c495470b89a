// A SOURCE as people type it: a folder, shards, or "synthetic".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/pipeline/sources.h"
#include "penstock/pipeline/spec.h"

namespace penstock::cli {

inline constexpr const char* kSourceHelp =
    "A folder of images, tar or TFRecord shards (paths, globs, {000..999}, name-@000010.tar), a "
    "folder of shards, or 'synthetic'; 'tfrecord:' or 'tar:' in front tells what the name does not";

// What `words` mean.
pipeline::SourceSpec parse_source_argument(const std::vector<std::string>& words);

// Opens it, with progress on a terminal if that takes long.
Result<pipeline::OpenSource> open_source_argument(const pipeline::SourceSpec& spec);

// Of all samples, in storage.
std::uint64_t total_bytes(const source::Source& source);

// Shows progress of building an index on stderr if that is a terminal and it takes over a second.
source::ProgressFn terminal_progress();

}  // namespace penstock::cli
