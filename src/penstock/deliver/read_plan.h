// Which bytes a stretch needs, in how few requests, and which piece lies where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/deliver/stretch.h"

namespace penstock::deliver {

// Bytes of one sample that are read at once.
struct Span {
  std::uint32_t object = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t joint = 0;  // in ReadPlan::joints

  std::uint64_t size() const { return end - begin; }
};

// Spans that one request fetches.
struct Joint {
  std::uint32_t object = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t num_spans = 1;

  std::uint64_t size() const { return end - begin; }
};

struct Placement {
  std::size_t piece = 0;  // in Stretch::pieces
  source::Piece where;
  bool is_kept = false;  // by the cache, as bytes; of the features of a record one is
  std::size_t span = 0;  // in ReadPlan::spans, if it is read
};

// Entry points that are known of the image in a piece.
struct Hint {
  std::size_t piece = 0;  // in Stretch::pieces
  StoredEntryPoints stored;
};

struct ReadPlan {
  std::vector<Span> spans;
  std::vector<Placement> placements;  // that are read
  std::vector<Placement> cached;      // that were found in the cache
  std::vector<Joint> joints;
  std::vector<Hint> hints;
  std::size_t total_bytes = 0;  // of joints and hints
};

// Of the samples that stretch.picks names, in order, as far as they fit; the others are marked as
// deferred.
ReadPlan plan_reads(const ReadFrom& from, std::size_t limit_bytes, Stretch& stretch);

}  // namespace penstock::deliver
