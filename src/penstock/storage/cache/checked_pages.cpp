// A map that begins anew when it is full: checking a page again is cheap.
#include "penstock/storage/cache/checked_pages.h"

namespace penstock::storage {

bool CheckedPages::has(std::uint64_t file, PageSet pages) const {
  const std::scoped_lock lock(mutex_);
  const auto at = pages_.find(file);
  return at != pages_.end() && (at->second & pages) == pages;
}

void CheckedPages::add(std::uint64_t file, PageSet pages) {
  constexpr std::size_t kMaxBlocks = 1 << 18;
  const std::scoped_lock lock(mutex_);
  if (pages_.size() >= kMaxBlocks) pages_.clear();
  pages_[file] |= pages;
}

}  // namespace penstock::storage
