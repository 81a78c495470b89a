// Tar archives (POSIX ustar and pax, GNU, v7), header by header.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

// One member of a shard: its name and where its bytes lie.
struct Record {
  std::string name;
  std::uint64_t offset = 0;  // from the start of the shard
  std::uint64_t size = 0;    // in bytes
  friend bool operator==(const Record&, const Record&) = default;
};

// Whether a block of 512 bytes is a header: its checksum is right and its fields make sense. False
// for zeros.
bool is_tar_header(Bytes block);

// Walks tar headers. Does no IO: the caller supplies bytes, so the same code serves local files,
// range reads from an object store, and the fuzzer. Only regular files are returned; folders,
// links and devices are passed over. Not thread-safe; cheap to copy.
class TarReader {
 public:
  // For a stream whose length shows only at its end; see end_at().
  static constexpr std::uint64_t kUnknownSize = std::numeric_limits<std::uint64_t>::max();
  // Long names and pax headers may not be larger than this.
  static constexpr std::uint64_t kMaxExtendedHeader = 1 << 20;
  // Headers and the bytes of members begin at multiples of this.
  static constexpr std::uint64_t kBlock = 512;

  // `shard_size`, in bytes, is what members are checked against.
  explicit TarReader(std::uint64_t shard_size) : shard_size_(shard_size) {}

  // `window` must begin at position(), and never needs to hold a member's own bytes: once a member
  // is returned, position() is behind it. Returns nullopt after the last member.
  //
  // Fails with kNeedMoreBytes if the window ends too early; position() may have moved, and a window
  // of needed_bytes() from there lets the reader go on. Fails with kCorrupt if there is no header
  // at position() or the shard ends too early, and with kUnsupported for sparse members; position()
  // stays then, so calling again fails again.
  Result<std::optional<Record>> next(Bytes window);

  // After kCorrupt or kUnsupported: the name of the member that is lost, empty if it was not read,
  // and where to look for a header next: the next block, or the end of a shard that was cut.
  const std::string& lost_name() const { return lost_name_; }
  std::uint64_t search_position() const { return search_position_; }
  // Goes on at a header that was found there.
  void resume_at(std::uint64_t position);

  // Where the next header begins.
  std::uint64_t position() const { return position_; }
  // How long the next window must be, at least; never reaches past the end of the shard.
  std::uint64_t needed_bytes() const { return needed_bytes_; }

  // Tells how long the shard is after all, for a reader made with kUnknownSize. The next call of
  // next() fails if that cuts the last member.
  void end_at(std::uint64_t shard_size);

 private:
  // What pax and GNU headers say about the members behind them.
  struct Overrides {
    std::optional<std::string> name;
    std::optional<std::uint64_t> size;
    bool is_sparse = false;
  };

  Result<std::optional<Record>> step(Bytes window);
  void note_loss();
  Result<std::optional<Record>> end_of_archive(Bytes window);
  Result<std::optional<Record>> take_member(Bytes header);
  Status take_extended(char type, Bytes window);
  Status parse_pax(Bytes payload, Overrides& out) const;
  Status need(std::uint64_t num_bytes);
  void move_behind(std::uint64_t offset, std::uint64_t size);
  bool has_local_overrides() const;

  std::uint64_t shard_size_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t data_end_ = 0;  // of the last member or header, before its padding
  std::uint64_t needed_bytes_ = kBlock;
  Overrides global_;  // for every member from here on
  Overrides local_;   // for the next member
  std::string lost_name_;
  std::uint64_t search_position_ = 0;
  bool is_finished_ = false;
};

}  // namespace penstock::format
