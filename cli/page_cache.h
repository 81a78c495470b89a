// Files of a source in the page cache: taking them out, and how fast they come in.
#pragma once

#include <cstdint>

#include "penstock/base/result.h"
#include "penstock/source/source.h"

namespace penstock::cli {

// Asks the system to forget the source's local files. How many it was asked about; 0 if the source
// lies elsewhere.
Result<std::uint64_t> evict_files(const source::Source& source);

// Bytes a second at which one thread reads the source's local files, one after the other, after
// they were evicted; for at most so many seconds.
Result<double> measure_cold_read(const source::Source& source, double seconds);

}  // namespace penstock::cli
