// Samples that are read together, and their bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/deliver/block_buffer.h"
#include "penstock/deliver/counters.h"
#include "penstock/deliver/entry_points.h"
#include "penstock/deliver/sample_cache.h"
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
  // Of an image whose pixels are kept: by what they are found, and those that were instead of
  // bytes; otherwise without data.
  std::optional<SampleKey> image_key;
  ImageView image;
};

// Consecutive groups: one where reading takes no time to speak of, many where a request does, so
// that requests can be large and many at once. Its buffers are used again and again.
struct Stretch {
  std::vector<Group> groups;
  std::vector<order::Pick> picks;  // of all groups, one after the other
  std::vector<Piece> pieces;       // of sample i and plan field f: pieces[i * fields + f]
  std::vector<bool> deferred;      // samples that did not fit and were not read

  // Memory behind `pieces`, not initialised, grow-only.
  std::unique_ptr<std::byte[]> buffer;
  std::size_t buffer_bytes = 0;
  std::vector<storage::ReadRequest> requests;
  BlockHolds holds;  // blocks that pieces lie in instead

  std::atomic<std::size_t> num_open = 0;  // groups that workers are not done with

  void reserve(std::size_t size_bytes);
  bool is_deferred(std::size_t i) const { return !deferred.empty() && deferred[i]; }
  // Takes a group in, and what samples it holds.
  void add(Group group);
  // Nobody needs the pieces any more.
  void release();
  void clear();
};

// A group of a stretch, with the bytes of its samples.
struct LoadedGroup {
  Stretch* stretch = nullptr;
  std::size_t number = 0;      // in stretch->groups
  std::size_t first_pick = 0;  // in stretch->picks

  const Group& group() const { return stretch->groups[number]; }
  const order::Pick& pick(std::size_t i) const { return stretch->picks[first_pick + i]; }
  bool is_deferred(std::size_t i) const { return stretch->is_deferred(first_pick + i); }
  // Empty if nothing is read from storage.
  std::span<const Piece> pieces(std::size_t i, std::size_t num_fields) const {
    if (stretch->pieces.empty()) return {};
    return std::span<const Piece>(stretch->pieces)
        .subspan((first_pick + i) * num_fields, num_fields);
  }
};

// What samples are read from.
struct ReadFrom {
  const pipeline::Plan& plan;
  EntryPoints* entry_points = nullptr;  // null: none are used
  BlockBuffer* blocks = nullptr;        // null: ranges are read as they are
  SampleCache* cache = nullptr;         // null: samples are not kept
};

// Reads every byte field of the samples that stretch.picks names, in order, as far as they fit into
// `limit_bytes`; what fails is said piece by piece. What the cache has is not read, and what is
// read is kept there. Entry points of images come along if there is room, and fail nothing. `stop`
// ends it early, with kCancelled.
void read_stretch(const ReadFrom& from, Stretch& stretch, std::size_t limit_bytes,
                  ThreadCounters& counters, const std::stop_token& stop = {});

}  // namespace penstock::deliver
