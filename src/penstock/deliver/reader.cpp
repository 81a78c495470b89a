// The reading side of a run.
#include "penstock/deliver/reader.h"

#include <algorithm>
#include <map>
#include <utility>

namespace penstock::deliver {
namespace {

// Fields of one sample that lie this close together in one object are read at once: the gap (tar
// headers, small members that were not asked for) costs less than a second request.
constexpr std::uint64_t kMaxGapBytes = 16 << 10;

struct Span {
  std::uint32_t object = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_near(const Span& span, const source::Piece& piece) {
  const std::uint64_t end = piece.offset + piece.size_bytes;
  return span.object == piece.object && piece.offset <= span.end + kMaxGapBytes &&
         span.begin <= end + kMaxGapBytes;
}

// Where a piece lies in the group's buffer.
struct Placement {
  std::size_t piece = 0;    // in LoadedGroup::pieces
  std::size_t request = 0;  // in LoadedGroup::requests
  source::Piece where;
};

// The reads of a group: spans to fetch, and which piece lies in which span.
struct ReadPlan {
  std::vector<Span> spans;
  std::vector<Placement> placements;
  std::size_t total_bytes = 0;
};

void plan_piece(const source::Piece& where, std::size_t piece, std::size_t first_span,
                ReadPlan& reads) {
  for (std::size_t i = first_span; i < reads.spans.size(); ++i) {
    Span& span = reads.spans[i];
    if (!is_near(span, where)) continue;
    span.begin = std::min(span.begin, where.offset);
    span.end = std::max(span.end, where.offset + where.size_bytes);
    reads.placements.push_back({piece, i, where});
    return;
  }
  reads.placements.push_back({piece, reads.spans.size(), where});
  reads.spans.push_back({where.object, where.offset, where.offset + where.size_bytes});
}

void plan_sample(const pipeline::Plan& plan, std::size_t i, LoadedGroup& loaded, ReadPlan& reads) {
  const std::size_t num_fields = plan.fields().size();
  const std::size_t first_span = reads.spans.size();
  for (std::size_t field = 0; field < num_fields; ++field) {
    if (!plan.fields()[field].is_in_storage()) continue;
    const std::size_t piece = i * num_fields + field;
    auto where = plan.fields()[field].locate(plan.source(), loaded.picks[i].sample);
    if (where.ok()) {
      plan_piece(*where, piece, first_span, reads);
    } else {
      loaded.pieces[piece].status = where.status();
    }
  }
}

// The samples that do not fit are marked as deferred.
ReadPlan plan_reads(const pipeline::Plan& plan, std::size_t limit_bytes, LoadedGroup& loaded) {
  ReadPlan reads;
  loaded.pieces.assign(loaded.picks.size() * plan.fields().size(), {});
  loaded.deferred.assign(loaded.picks.size(), false);
  for (std::size_t i = 0; i < loaded.picks.size(); ++i) {
    const std::size_t num_spans = reads.spans.size();
    const std::size_t num_placements = reads.placements.size();
    plan_sample(plan, i, loaded, reads);
    std::uint64_t own_bytes = 0;
    for (std::size_t k = num_spans; k < reads.spans.size(); ++k) {
      own_bytes += reads.spans[k].end - reads.spans[k].begin;
    }
    if (own_bytes <= limit_bytes - reads.total_bytes) {
      reads.total_bytes += own_bytes;
      continue;
    }
    reads.spans.resize(num_spans);
    reads.placements.resize(num_placements);
    loaded.deferred[i] = true;
  }
  return reads;
}

// Answers all requests; request i is about object spans[i].object. Each storage hears of all its
// own at once.
void read_spans(const source::Source& source, const std::vector<Span>& spans,
                std::vector<storage::ReadRequest>& requests) {
  if (spans.empty()) return;
  const auto storage_of = [&](const Span& span) { return source.storage(span.object); };
  const storage::Storage* const first = storage_of(spans.front());
  if (std::ranges::all_of(spans, [&](const Span& span) { return storage_of(span) == first; })) {
    first->read(requests);
    return;
  }
  std::map<const storage::Storage*, std::vector<std::size_t>> by_storage;
  for (std::size_t i = 0; i < spans.size(); ++i) by_storage[storage_of(spans[i])].push_back(i);
  for (const auto& [storage, numbers] : by_storage) {
    std::vector<storage::ReadRequest> own;
    own.reserve(numbers.size());
    for (const std::size_t i : numbers) own.push_back(requests[i]);
    storage->read(own);
    for (std::size_t i = 0; i < numbers.size(); ++i) requests[numbers[i]].status = own[i].status;
  }
}

}  // namespace

void LoadedGroup::reserve(std::size_t size_bytes) {
  if (size_bytes <= buffer_bytes) return;
  buffer = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
  buffer_bytes = size_bytes;
}

void resolve_picks(LoadedGroup& loaded) {
  const Group& group = loaded.group;
  loaded.picks.resize(group.count);
  for (std::size_t i = 0; i < group.count; ++i) {
    loaded.picks[i] = group.work->sequence.pick_at(group.position(i));
  }
}

void read_group(const pipeline::Plan& plan, LoadedGroup& loaded, std::size_t limit_bytes,
                ThreadCounters& counters) {
  const ReadPlan reads = plan_reads(plan, limit_bytes, loaded);
  const std::size_t held_before = loaded.buffer_bytes;
  loaded.reserve(reads.total_bytes);
  add(counters.held_bytes, loaded.buffer_bytes - held_before);

  loaded.requests.clear();
  std::size_t offset = 0;
  for (const Span& span : reads.spans) {
    const std::size_t size = span.end - span.begin;
    loaded.requests.push_back({plan.source().object_path(span.object),
                               span.begin,
                               MutableBytes(loaded.buffer.get() + offset, size),
                               {}});
    offset += size;
  }
  read_spans(plan.source(), reads.spans, loaded.requests);

  for (const Placement& placement : reads.placements) {
    const storage::ReadRequest& request = loaded.requests[placement.request];
    Piece& piece = loaded.pieces[placement.piece];
    piece.status = request.status;
    piece.bytes = Bytes(request.out)
                      .subspan(placement.where.offset - request.offset, placement.where.size_bytes);
  }
  add(counters.samples, loaded.picks.size());
  add(counters.bytes, reads.total_bytes);
}

ReadAhead::ReadAhead(std::size_t num_groups, std::size_t group_bytes)
    : group_bytes_(group_bytes), free_(num_groups), loaded_(num_groups) {
  for (std::size_t i = 0; i < num_groups; ++i) free_.send(std::make_unique<LoadedGroup>());
}

void ReadAhead::read_all(const pipeline::Plan& plan, Schedule& schedule, ThreadCounters& counters) {
  LapClock clock(counters);
  {
    const std::scoped_lock lock(mutex_);
    ++num_reading_;
  }
  while (auto loaded = free_.receive()) {
    std::optional<Group> group = schedule.next();
    if (!group) break;
    clock.lap(Stage::kWait);
    (*loaded)->group = std::move(*group);
    resolve_picks(**loaded);
    read_group(plan, **loaded, group_bytes_, counters);
    clock.lap(Stage::kRead);
    if (!send_in_order(std::move(*loaded))) break;
  }
  const std::scoped_lock lock(mutex_);
  if (--num_reading_ == 0) loaded_.close();
}

bool ReadAhead::send_in_order(std::unique_ptr<LoadedGroup> group) {
  std::unique_lock lock(mutex_);
  turn_changed_.wait(lock, [&] { return is_closed_ || turn_ == group->group.sequence; });
  if (is_closed_) return false;
  // Never blocks: the channel has room for every group there is.
  loaded_.send(std::move(group));
  ++turn_;
  turn_changed_.notify_all();
  return true;
}

std::unique_ptr<LoadedGroup> ReadAhead::receive() {
  auto group = loaded_.receive();
  return group ? std::move(*group) : nullptr;
}

void ReadAhead::recycle(std::unique_ptr<LoadedGroup> group) { free_.send(std::move(group)); }

void ReadAhead::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
  }
  turn_changed_.notify_all();
  free_.close();
  loaded_.close();
}

}  // namespace penstock::deliver
