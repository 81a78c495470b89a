// Walks the headers of a TFRecord shard.
#include "penstock/source/record_indexer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace penstock::source {

RecordIndexer::RecordIndexer(std::uint64_t shard_bytes) : reader_(shard_bytes) {
  index_.shard_bytes = shard_bytes;
  wanted_bytes_ = std::min(window_size_.bytes(), shard_bytes);
}

Status RecordIndexer::take(Bytes window) {
  const std::uint64_t begin = reader_.position();
  const std::uint64_t window_end = begin + window.size();
  while (!is_done_) {
    const std::uint64_t skipped = reader_.position() - begin;
    const Bytes rest = window.subspan(std::min<std::uint64_t>(skipped, window.size()));
    const Status status = damage_.empty() ? step(rest) : search(rest);
    if (status.code() == Code::kNeedMoreBytes) {
      const std::uint64_t position = reader_.position();
      const std::uint64_t size = window_size_.next(position, window_end);
      wanted_bytes_ =
          std::min(std::max(size, reader_.needed_bytes()), index_.shard_bytes - position);
      return {};
    }
    PENSTOCK_TRY(status);
  }
  wanted_bytes_ = 0;
  return {};
}

// One record, or where there is none.
Status RecordIndexer::step(Bytes window) {
  const auto record = reader_.next(window);
  if (!record.ok()) {
    if (record.status().code() != Code::kCorrupt) return record.status();
    damage_offset_ = reader_.position();
    damage_ = record.status().message();
    return {};
  }
  if (!record->has_value()) {
    is_done_ = true;
    return {};
  }
  index_.offsets.push_back((*record)->offset);
  index_.sizes.push_back((*record)->size);
  return {};
}

Status RecordIndexer::search(Bytes window) {
  PENSTOCK_TRY(reader_.resynchronise(window));
  const std::uint64_t num_bytes = reader_.position() - damage_offset_;
  damages_.add(damage_offset_, "", concat(damage_, "; ", num_bytes, " bytes are passed over"));
  damage_.clear();
  return {};
}

RecordIndex RecordIndexer::take_index() && {
  index_.damages = std::move(damages_).finish();
  return std::move(index_);
}

}  // namespace penstock::source
