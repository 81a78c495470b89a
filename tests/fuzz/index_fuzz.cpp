// Decodes arbitrary bytes as an index file, as they are and behind a right header of each kind:
// random bytes would never get past the checksum. What is accepted must be consistent and come back
// byte for byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "penstock/base/hash.h"
#include "penstock/source/index.h"

namespace {

using penstock::Bytes;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

std::vector<std::byte> with_header(std::uint8_t kind, Bytes body) {
  std::vector<std::byte> file(24);
  std::memcpy(file.data(), "PENSTOCK\2\0\0\0", 12);
  file[12] = std::byte{kind};
  const std::uint64_t checksum = penstock::hash_bytes(body);
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(checksum >> (8 * i));
  file.insert(file.end(), body.begin(), body.end());
  return file;
}

void check_folder(Bytes file) {
  const auto index = penstock::source::decode_folder_index(file);
  if (!index.ok()) return;
  std::size_t images = 0;
  for (std::size_t run = 0; run < index->run_folders.size(); ++run) {
    require(index->run_folders[run] < index->folders.size());
    images += index->run_lengths[run];
  }
  require(images == index->names.size() && images == index->sizes_bytes.size());
  require(std::ranges::equal(penstock::source::encode_index(*index), file));
}

void check_damages(const penstock::source::DamageColumns& damages) {
  require(damages.keys.size() == damages.offsets.size());
  require(damages.messages.size() == damages.offsets.size());
}

void check_shard(Bytes file) {
  const auto index = penstock::source::decode_shard_index(file);
  if (!index.ok()) return;
  for (std::size_t part = 0; part < index->part_fields.size(); ++part) {
    require(index->part_fields[part] < index->fields.size());
    require(index->part_offsets[part] <= index->shard_bytes);
    require(index->part_sizes[part] <= index->shard_bytes - index->part_offsets[part]);
  }
  require(index->keys.size() == index->part_ends.size());
  check_damages(index->damages);
  require(std::ranges::equal(penstock::source::encode_index(*index), file));
}

void check_records(Bytes file) {
  const auto index = penstock::source::decode_record_index(file);
  if (!index.ok()) return;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < index->offsets.size(); ++i) {
    require(index->offsets[i] >= end && index->offsets[i] <= index->shard_bytes);
    require(index->sizes[i] + 4 <= index->shard_bytes - index->offsets[i]);
    end = index->offsets[i] + index->sizes[i];
  }
  check_damages(index->damages);
  require(std::ranges::equal(penstock::source::encode_index(*index), file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes body = std::as_bytes(std::span(data, size));
  check_folder(body);
  check_shard(body);
  check_records(body);
  check_folder(with_header(1, body));
  check_shard(with_header(2, body));
  check_records(with_header(3, body));
  return 0;
}
