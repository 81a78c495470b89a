// Walks the headers of a TFRecord shard.
#include "penstock/source/record_indexer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace penstock::source {

RecordIndexer::RecordIndexer(std::uint64_t shard_bytes, const WindowSize& window)
    : reader_(shard_bytes), window_size_(window) {
  index_.shard_bytes = shard_bytes;
  wanted_bytes_ = std::min(window_size_.bytes(), shard_bytes);
}

void RecordIndexer::take(Bytes window) {
  const std::uint64_t begin = reader_.position();
  bool goes_on = true;
  while (goes_on && !is_done_) {
    const std::uint64_t skipped = reader_.position() - begin;
    const Bytes rest = window.subspan(std::min<std::uint64_t>(skipped, window.size()));
    goes_on = damage_.empty() ? step(rest) : search(rest);
  }
  const std::uint64_t position = reader_.position();
  const std::uint64_t size = window_size_.next(position, begin + window.size());
  wanted_bytes_ = std::min(std::max(size, reader_.needed_bytes()), index_.shard_bytes - position);
}

// One record, or where there is none. Whether the window may hold more.
bool RecordIndexer::step(Bytes window) {
  const auto record = reader_.next(window);
  if (record.status().code() == Code::kNeedMoreBytes) return false;
  if (!record.ok()) {
    damage_offset_ = reader_.position();
    damage_ = record.status().message();
  } else if (record->has_value()) {
    index_.offsets.push_back((*record)->offset);
    index_.sizes.push_back((*record)->size);
  } else {
    is_done_ = true;
  }
  return true;
}

// Looks for the next record. Whether the window may hold more.
bool RecordIndexer::search(Bytes window) {
  if (!reader_.resynchronise(window).ok()) return false;
  const std::uint64_t num_bytes = reader_.position() - damage_offset_;
  damages_.add(damage_offset_, "", concat(damage_, "; ", num_bytes, " bytes are passed over"));
  damage_.clear();
  return true;
}

RecordIndex RecordIndexer::take_index() && {
  index_.damages = std::move(damages_).finish();
  return std::move(index_);
}

}  // namespace penstock::source
