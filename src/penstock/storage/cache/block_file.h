// How a block of a remote object lies in a file: its bytes, a hash of each page of them, a trailer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/hash.h"

namespace penstock::storage {

inline constexpr std::size_t kBlockBytes = 1 << 20;  // the last one of an object is shorter
inline constexpr std::size_t kPageBytes = 16 << 10;  // the last one of a block is shorter

// The bytes of an object from number * kBlockBytes on. The key stands for the object as it was when
// it was looked at: another path, size or version is another key.
struct BlockId {
  std::uint64_t key = 0;
  std::uint64_t number = 0;

  std::uint64_t hash() const { return combine_hash(key, number); }
  friend auto operator<=>(const BlockId&, const BlockId&) = default;
};

// "3f/0123456789abcdef-12": in one of 256 folders, whichever the object.
std::string block_name(BlockId id);

constexpr std::size_t num_pages(std::size_t data_bytes) {
  return (data_bytes + kPageBytes - 1) / kPageBytes;
}

// What stands behind the bytes of a block.
std::size_t footer_bytes(std::size_t data_bytes);
std::vector<std::byte> make_footer(BlockId id, Bytes data);

// Whether it is the footer of this block, undamaged.
bool is_footer_of(BlockId id, std::size_t data_bytes, Bytes footer);

// Of a footer that is_footer_of().
std::uint64_t stored_page_hash(Bytes footer, std::size_t page);

}  // namespace penstock::storage
