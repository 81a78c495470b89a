// Reads what the plan says, and hands it out piece by piece.
#include "penstock/deliver/stretch.h"

#include <algorithm>
#include <utility>

#include "penstock/deliver/read_many.h"
#include "penstock/deliver/read_plan.h"

namespace penstock::deliver {
namespace {

// Answers joints through the buffer of blocks; their requests come first. Returns where each lies.
std::vector<Bytes> answer_from_blocks(const ReadFrom& from, const ReadPlan& reads,
                                      const std::stop_token& stop, Stretch& stretch) {
  const source::Source& source = from.plan.source();
  const std::uint32_t epoch = stretch.groups.empty() ? 0 : stretch.groups.front().head.epoch;
  std::vector<BlockRead> wanted;
  for (std::size_t i = 0; i < reads.joints.size(); ++i) {
    const std::uint32_t object = reads.joints[i].object;
    wanted.push_back(
        {source.storage(object), object, source.object_bytes(object), epoch, &stretch.requests[i]});
  }
  from.blocks->read(wanted, stretch.holds, stop);
  std::vector<Bytes> found;
  found.reserve(wanted.size());
  for (const BlockRead& read : wanted) found.push_back(read.found);
  return found;
}

// One request for each joint, then one for each hint, into the stretch's buffer. Returns where the
// bytes of each joint are.
std::vector<Bytes> read_planned(const ReadFrom& from, const ReadPlan& reads,
                                const std::stop_token& stop, Stretch& stretch) {
  const source::Source& source = from.plan.source();
  stretch.requests.clear();
  std::vector<const storage::Storage*> storages;
  std::byte* out = stretch.buffer.get();
  const auto add_request = [&](const storage::Storage* storage, std::string_view path,
                               std::uint64_t offset, std::size_t size) {
    storages.push_back(storage);
    stretch.requests.push_back({path, offset, MutableBytes(out, size), {}});
    out += size;
  };
  for (const Joint& joint : reads.joints) {
    add_request(source.storage(joint.object), source.object_path(joint.object), joint.begin,
                joint.size());
  }
  for (const Hint& hint : reads.hints) {
    add_request(hint.stored.storage, hint.stored.path, hint.stored.offset, hint.stored.size_bytes);
  }
  const std::size_t num_joints = reads.joints.size();
  std::vector<Bytes> found;
  if (from.blocks != nullptr) {
    found = answer_from_blocks(from, reads, stop, stretch);
    read_many(std::span(storages).subspan(num_joints),
              std::span(stretch.requests).subspan(num_joints), stop);
    return found;
  }
  read_many(storages, stretch.requests, stop);
  for (std::size_t i = 0; i < num_joints; ++i) found.emplace_back(stretch.requests[i].out);
  return found;
}

MutableBytes bytes_of(const Span& span, const storage::ReadRequest& request) {
  return request.out.subspan(span.begin - request.offset, span.size());
}

// How each span fared. Where an object ends inside a joint, spans before the end are sound.
std::vector<Status> span_statuses(const source::Source& source, const ReadPlan& reads,
                                  const std::stop_token& stop, const Stretch& stretch) {
  std::vector<Status> statuses;
  std::vector<std::size_t> again;
  std::vector<const storage::Storage*> storages;
  std::vector<storage::ReadRequest> requests;
  for (std::size_t i = 0; i < reads.spans.size(); ++i) {
    const Span& span = reads.spans[i];
    const storage::ReadRequest& joint = stretch.requests[span.joint];
    statuses.push_back(joint.status);
    if (joint.status.code() != Code::kCorrupt || reads.joints[span.joint].num_spans == 1) continue;
    again.push_back(i);
    storages.push_back(source.storage(span.object));
    requests.push_back({joint.path, span.begin, bytes_of(span, joint), {}});
  }
  read_many(storages, requests, stop);
  for (std::size_t k = 0; k < again.size(); ++k) statuses[again[k]] = requests[k].status;
  return statuses;
}

// Hints that cannot be read or are damaged are as if there were none.
void take_hints(const ReadPlan& reads, EntryPointStore& store, Stretch& stretch) {
  std::uint64_t num_found = 0;
  for (std::size_t i = 0; i < reads.hints.size(); ++i) {
    const Hint& hint = reads.hints[i];
    const storage::ReadRequest& request = stretch.requests[reads.joints.size() + i];
    Piece& piece = stretch.pieces[hint.piece];
    if (request.status.ok()) {
      const auto checked = source::checked_entry_points(request.out);
      if (checked.ok()) piece.entry_points = *checked;
    }
    if (piece.entry_points.empty()) {
      store.forget(piece.entry_point_key->hash, hint.stored.spot);
    } else {
      ++num_found;
    }
  }
  store.count_found(num_found);
}

// Counts what was found, and keeps what was read.
void use_cache(const ReadPlan& reads, const Stretch& stretch, SampleCache& cache) {
  for (const Placement& placement : reads.cached) {
    const ImageView& image = stretch.pieces[placement.piece].image;
    const std::size_t image_bytes = image.stride * static_cast<std::size_t>(image.height);
    cache.count_hit(placement.is_kept ? placement.where.size_bytes : image_bytes);
  }
  for (const Placement& placement : reads.placements) {
    const Piece& piece = stretch.pieces[placement.piece];
    if (placement.is_kept && piece.status.ok()) {
      cache.add_bytes({.where = placement.where}, piece.bytes);
    }
  }
}

}  // namespace

void Stretch::reserve(std::size_t size_bytes) {
  if (size_bytes <= buffer_bytes) return;
  buffer = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
  buffer_bytes = size_bytes;
}

void Stretch::add(Group group) {
  for (std::size_t i = 0; i < group.count; ++i) {
    picks.push_back(group.work->sequence.pick_at(group.position(i)));
  }
  groups.push_back(std::move(group));
}

void Stretch::release() { holds.clear(); }

void Stretch::clear() {
  groups.clear();
  picks.clear();
}

void read_stretch(const ReadFrom& from, Stretch& stretch, std::size_t limit_bytes,
                  ThreadCounters& counters, const std::stop_token& stop) {
  const ReadPlan reads = plan_reads(from, limit_bytes, stretch);
  const std::size_t held_before = stretch.buffer_bytes;
  stretch.reserve(reads.total_bytes);
  add(counters.held_bytes, stretch.buffer_bytes - held_before);
  const std::vector<Bytes> joints = read_planned(from, reads, stop, stretch);

  const std::vector<Status> statuses = span_statuses(from.plan.source(), reads, stop, stretch);
  for (const Placement& placement : reads.placements) {
    const std::size_t joint = reads.spans[placement.span].joint;
    Piece& piece = stretch.pieces[placement.piece];
    piece.status = statuses[placement.span];
    piece.bytes = joints[joint].subspan(placement.where.offset - reads.joints[joint].begin,
                                        placement.where.size_bytes);
  }
  if (!reads.hints.empty()) take_hints(reads, from.entry_points->store(), stretch);
  if (from.cache != nullptr) use_cache(reads, stretch, *from.cache);
  add(counters.samples, stretch.picks.size());
  add(counters.bytes, reads.total_bytes);
}

}  // namespace penstock::deliver
