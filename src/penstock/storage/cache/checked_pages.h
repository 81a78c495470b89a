// Which pages of which block files were found undamaged.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "penstock/storage/cache/block_file.h"

namespace penstock::storage {

// A bit for each page of a block.
using PageSet = std::uint64_t;
static_assert(num_pages(kBlockBytes) <= 64);

constexpr PageSet page_set(std::size_t first, std::size_t last) {
  return (~PageSet{0} >> (63 - last)) & (~PageSet{0} << first);
}

// Safe from any thread. Holds a few dozen bytes a block, for a limited number of blocks.
class CheckedPages {
 public:
  // `file` identifies a file in the state it is in: a file that is written to is another one.
  bool has(std::uint64_t file, PageSet pages) const;
  void add(std::uint64_t file, PageSet pages);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, PageSet> pages_;
};

}  // namespace penstock::storage
