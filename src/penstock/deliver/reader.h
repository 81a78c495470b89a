// Bytes from storage, ahead of the workers: groups come in order, are read, and go on in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "penstock/base/channel.h"
#include "penstock/base/result.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/entry_points.h"
#include "penstock/deliver/schedule.h"
#include "penstock/pipeline/plan.h"
#include "penstock/storage/storage.h"

namespace penstock::deliver {

// One field of one sample as it came from storage.
struct Piece {
  Bytes bytes;
  Status status;
  // Of an image whose entry points are kept: by what they are found, and those that were.
  std::optional<EntryPointKey> entry_point_key;
  Bytes entry_points;
};

// What groups are read from.
struct ReadFrom {
  const pipeline::Plan& plan;
  EntryPoints* entry_points = nullptr;  // null: none are used
};

// A group with the bytes of its samples. Its buffers are used again and again.
struct LoadedGroup {
  Group group;
  std::vector<order::Pick> picks;  // group.count of them
  std::vector<Piece> pieces;       // of sample i and plan field f: pieces[i * fields + f]
  std::vector<bool> deferred;      // samples that did not fit and were not read

  // Memory behind `pieces`, not initialised, grow-only.
  std::unique_ptr<std::byte[]> buffer;
  std::size_t buffer_bytes = 0;
  std::vector<storage::ReadRequest> requests;

  void reserve(std::size_t size_bytes);
  bool is_deferred(std::size_t i) const { return !deferred.empty() && deferred[i]; }
};

// Fills in which samples the group holds.
void resolve_picks(LoadedGroup& loaded);

// Reads every byte field of the group's samples, in order, as far as they fit into `limit_bytes`;
// what fails is said piece by piece. Entry points of images come along if there is room, and fail
// nothing.
void read_group(const ReadFrom& from, LoadedGroup& loaded, std::size_t limit_bytes,
                ThreadCounters& counters);

// The two channels between readers and workers. There are `num_groups` groups of at most
// `group_bytes` each, which bounds the bytes in flight.
class ReadAhead {
 public:
  ReadAhead(std::size_t num_groups, std::size_t group_bytes);

  // For a reader thread: takes groups from the schedule until there are no more or close() is
  // called.
  void read_all(const ReadFrom& from, Schedule& schedule, ThreadCounters& counters);

  // For a worker: the next group in order; null when all are done.
  std::unique_ptr<LoadedGroup> receive();
  void recycle(std::unique_ptr<LoadedGroup> group);

  void close();

 private:
  // Groups leave in the order of the schedule whatever reader is first, so that a worker never
  // waits for a slot while an earlier batch still waits for its bytes.
  bool send_in_order(std::unique_ptr<LoadedGroup> group);

  const std::size_t group_bytes_;
  Channel<std::unique_ptr<LoadedGroup>> free_;
  Channel<std::unique_ptr<LoadedGroup>> loaded_;

  std::mutex mutex_;
  std::condition_variable turn_changed_;
  std::uint64_t turn_ = 0;
  std::size_t num_reading_ = 0;
  bool is_closed_ = false;
};

}  // namespace penstock::deliver
