// TFRecords as bytes; see tfrecord_reader.h for the format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"

namespace penstock::format {

// What stands before the data of a record.
std::array<std::byte, 12> tfrecord_header(std::uint64_t size_bytes);
// What stands behind them.
std::array<std::byte, 4> tfrecord_footer(Bytes data);

// Header, data and footer in one.
void append_tfrecord(std::vector<std::byte>& shard, Bytes data);

}  // namespace penstock::format
