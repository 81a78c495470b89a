// Finds the samples of a tar shard. Does no IO, so that many shards can be read at once: it says
// which bytes it wants, and is given them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/tar_reader.h"
#include "penstock/source/index.h"
#include "penstock/source/shard_flaws.h"
#include "penstock/source/window_size.h"

namespace penstock::source {

// Consecutive members with the same key make a sample (format::split_sample_key). Wants headers,
// not the bytes of members: large windows while members are small, small ones while they are large.
// Behind a broken header it looks for the next one, block by block. Not thread-safe.
class ShardIndexer {
 public:
  explicit ShardIndexer(std::uint64_t shard_bytes, const WindowSize& window = WindowSize());

  // Nothing is wanted any more.
  bool is_done() const { return is_done_; }
  // The bytes wanted next: wanted_bytes() from position() on. At most a few megabytes.
  std::uint64_t position() const { return gap_ ? search_position_ : reader_.position(); }
  std::uint64_t wanted_bytes() const { return wanted_bytes_; }

  // Takes the bytes wanted.
  void take(Bytes window);

  // The samples that are whole and the damages, after is_done().
  ShardIndex take_index() &&;

 private:
  // What lies between the last member that was read and the next header.
  struct Gap {
    std::uint64_t offset = 0;
    std::string message;
    std::string lost_name;        // of the member that it begins with, if it was read
    bool is_cut = false;          // it reaches to the end of the shard
    bool is_archive_end = false;  // no broken header: the zeros that an archive ends with
  };

  bool walk(Bytes window);
  bool search(Bytes window);
  void open_gap(Gap gap, std::uint64_t search_position);
  void close_gap(std::optional<std::uint64_t> next_header);
  void add_broken_header(const Gap& gap, std::optional<std::uint64_t> next_header);
  void add_archive_end(const Gap& gap, std::optional<std::uint64_t> next_header);
  void add_member(const format::Record& record);
  std::size_t sample_of(std::string_view key);
  std::optional<std::size_t> last_sample() const;
  std::optional<std::uint16_t> field_number(std::string_view extension);
  void add_flaw(Flaw flaw);
  void want_headers(std::uint64_t window_end);

  format::TarReader reader_;
  ShardIndex index_;
  std::string last_key_;
  WindowSize window_size_;
  std::uint64_t wanted_bytes_ = 0;
  bool is_done_ = false;

  std::optional<Gap> gap_;  // while the next header is searched
  std::uint64_t search_position_ = 0;
  std::vector<Flaw> flaws_;
  bool is_behind_flaw_ = false;          // no member of a sample was read since the last gap
  std::optional<std::size_t> repeated_;  // the last sample that has an extension twice
};

}  // namespace penstock::source
