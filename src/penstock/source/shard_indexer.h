// Finds the samples of a tar shard. Does no IO, so that many shards can be read at once: it says
// which bytes it wants, and is given them.
#pragma once

#include <cstdint>
#include <string>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/tar_reader.h"
#include "penstock/source/index.h"
#include "penstock/source/window_size.h"

namespace penstock::source {

// Consecutive members with the same key make a sample (format::split_sample_key). Wants headers,
// not the bytes of members: large windows while members are small, small ones while they are large.
// Not thread-safe.
class ShardIndexer {
 public:
  explicit ShardIndexer(std::uint64_t shard_bytes);

  // Nothing is wanted any more.
  bool is_done() const { return is_done_; }
  // The bytes wanted next: wanted_bytes() from position() on. At most a few megabytes.
  std::uint64_t position() const { return reader_.position(); }
  std::uint64_t wanted_bytes() const { return wanted_bytes_; }

  // Takes the bytes wanted. Fails with kCorrupt, naming the byte or the sample; of no use after
  // that.
  Status take(Bytes window);

  // The samples, after is_done().
  ShardIndex take_index() && { return std::move(index_); }

 private:
  Status add_member(const format::Record& record);
  Result<std::uint16_t> field_number(std::string_view extension);
  void want_more(std::uint64_t window_end);

  format::TarReader reader_;
  ShardIndex index_;
  std::string last_key_;
  WindowSize window_size_;
  std::uint64_t wanted_bytes_ = 0;
  bool is_done_ = false;
};

}  // namespace penstock::source
