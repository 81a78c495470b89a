// What is known about a folder or a shard after reading it once, as plain columns, and the file it
// is kept in.
//
// The file: "PENSTOCK", version (u32), kind (u32), checksum of the rest (u64), then the columns in
// the order of the struct. A column is the number of its elements (u64) and the elements; a
// column of strings is one of characters and one of where each string ends (u64). Little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/source/damage_list.h"
#include "penstock/source/string_column.h"

namespace penstock::source {

// Every image below a folder, in path order. Names are kept without their folders; consecutive
// images of one folder make a run.
struct FolderIndex {
  StringColumn folders;                    // relative to the root, which is "", all of them
  std::vector<std::int64_t> folder_times;  // when each was last changed, as Storage tells
  std::vector<std::uint32_t> run_folders;
  std::vector<std::uint32_t> run_lengths;
  StringColumn names;  // one for each image
  std::vector<std::uint64_t> sizes_bytes;

  friend bool operator==(const FolderIndex&, const FolderIndex&) = default;
};

// Every sample of one shard that is whole, and what is broken in it. Part p is field part_fields[p]
// of its sample; the parts of sample s end before part_ends[s].
struct ShardIndex {
  std::uint64_t shard_bytes = 0;
  std::int64_t shard_time = 0;
  StringColumn fields;  // extensions, each once
  StringColumn keys;    // one for each sample
  std::vector<std::uint64_t> part_ends;
  std::vector<std::uint16_t> part_fields;
  std::vector<std::uint64_t> part_offsets;
  std::vector<std::uint64_t> part_sizes;
  DamageColumns damages;

  friend bool operator==(const ShardIndex&, const ShardIndex&) = default;
};

// Every record of one TFRecord shard, in order, and the places where there is none.
struct RecordIndex {
  std::uint64_t shard_bytes = 0;
  std::int64_t shard_time = 0;
  std::vector<std::uint64_t> offsets;  // of the data, behind the header of 12 bytes
  std::vector<std::uint64_t> sizes;    // of the data, before the checksum of 4 bytes
  DamageColumns damages;

  friend bool operator==(const RecordIndex&, const RecordIndex&) = default;
};

std::vector<std::byte> encode_index(const FolderIndex& index);
std::vector<std::byte> encode_index(const ShardIndex& index);
std::vector<std::byte> encode_index(const RecordIndex& index);

// Fail with kCorrupt or kUnsupported unless the bytes are a whole index of that kind and version
// whose every number makes sense: what comes out can be used without further checks.
Result<FolderIndex> decode_folder_index(Bytes bytes);
Result<ShardIndex> decode_shard_index(Bytes bytes);
Result<RecordIndex> decode_record_index(Bytes bytes);

}  // namespace penstock::source
