// Finds the records of a TFRecord shard. Does no IO, so that many shards can be read at once: it
// says which bytes it wants, and is given them.
#pragma once

#include <cstdint>
#include <string>

#include "penstock/base/array.h"
#include "penstock/format/tfrecord_reader.h"
#include "penstock/source/damage_list.h"
#include "penstock/source/index.h"
#include "penstock/source/window_size.h"

namespace penstock::source {

// Wants headers, not data, and searches on behind damage. Not thread-safe.
class RecordIndexer {
 public:
  explicit RecordIndexer(std::uint64_t shard_bytes, const WindowSize& window = WindowSize());

  // Nothing is wanted any more.
  bool is_done() const { return is_done_; }
  // The bytes wanted next: wanted_bytes() from position() on. At most a few megabytes.
  std::uint64_t position() const { return reader_.position(); }
  std::uint64_t wanted_bytes() const { return wanted_bytes_; }

  // Takes the bytes wanted.
  void take(Bytes window);

  // The records and the damages, after is_done().
  RecordIndex take_index() &&;

 private:
  bool step(Bytes window);
  bool search(Bytes window);

  format::TfrecordReader reader_;
  RecordIndex index_;
  std::string damage_;  // not empty while the next record is searched
  std::uint64_t damage_offset_ = 0;
  DamageList damages_;
  WindowSize window_size_;
  std::uint64_t wanted_bytes_ = 0;
  bool is_done_ = false;
};

}  // namespace penstock::source
