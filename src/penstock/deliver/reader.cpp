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

// Entry points that are known of the image in a piece.
struct Hint {
  std::size_t piece = 0;  // in LoadedGroup::pieces
  StoredEntryPoints stored;
};

// The reads of a group: spans to fetch, and which piece lies in which span; then hints.
struct ReadPlan {
  std::vector<Span> spans;
  std::vector<Placement> placements;
  std::vector<Hint> hints;
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

// By what the entry points of the image in a piece are found: of the names that a feature may have
// the first under which some are known.
void find_entry_points(const EntryPoints& points, const pipeline::FieldPlan& field,
                       const source::Source& source, const Placement& placement, ReadPlan& reads,
                       Piece& piece) {
  const bool is_feature = field.kind == source::FieldKind::kFeature;
  for (const int number : field.source_fields) {
    const std::string_view name =
        is_feature ? source.fields()[static_cast<std::size_t>(number)].name : std::string_view{};
    const auto key = points.key_of(placement.where, name);
    if (!key) return;
    const auto stored = points.store().find(key->hash);
    if (stored || !piece.entry_point_key) piece.entry_point_key = key;
    if (stored) reads.hints.push_back({placement.piece, *stored});
    if (stored || !is_feature) return;
  }
}

void plan_hints(const ReadFrom& from, std::size_t limit_bytes, LoadedGroup& loaded,
                ReadPlan& reads) {
  if (from.entry_points == nullptr) return;
  const std::vector<pipeline::FieldPlan>& fields = from.plan.fields();
  for (const Placement& placement : reads.placements) {
    const pipeline::FieldPlan& field = fields[placement.piece % fields.size()];
    if (!has_entry_points(field)) continue;
    find_entry_points(*from.entry_points, field, from.plan.source(), placement, reads,
                      loaded.pieces[placement.piece]);
    if (reads.hints.empty() || reads.hints.back().piece != placement.piece) continue;
    const std::size_t size = reads.hints.back().stored.size_bytes;
    if (size <= limit_bytes - reads.total_bytes) {
      reads.total_bytes += size;
    } else {
      reads.hints.pop_back();
    }
  }
}

// Answers all requests; request i is for storages[i]. Each storage hears of all its own at once.
void answer(const std::vector<const storage::Storage*>& storages,
            std::vector<storage::ReadRequest>& requests) {
  if (requests.empty()) return;
  const storage::Storage* const first = storages.front();
  if (std::ranges::all_of(storages, [&](const auto* storage) { return storage == first; })) {
    first->read(requests);
    return;
  }
  std::map<const storage::Storage*, std::vector<std::size_t>> by_storage;
  for (std::size_t i = 0; i < storages.size(); ++i) by_storage[storages[i]].push_back(i);
  for (const auto& [storage, numbers] : by_storage) {
    std::vector<storage::ReadRequest> own;
    own.reserve(numbers.size());
    for (const std::size_t i : numbers) own.push_back(requests[i]);
    storage->read(own);
    for (std::size_t i = 0; i < numbers.size(); ++i) requests[numbers[i]].status = own[i].status;
  }
}

// One request for each span, then one for each hint, into the group's buffer.
void read_planned(const source::Source& source, const ReadPlan& reads, LoadedGroup& loaded) {
  loaded.requests.clear();
  std::vector<const storage::Storage*> storages;
  std::byte* out = loaded.buffer.get();
  const auto add_request = [&](const storage::Storage* storage, std::string_view path,
                               std::uint64_t offset, std::size_t size) {
    storages.push_back(storage);
    loaded.requests.push_back({path, offset, MutableBytes(out, size), {}});
    out += size;
  };
  for (const Span& span : reads.spans) {
    add_request(source.storage(span.object), source.object_path(span.object), span.begin,
                span.end - span.begin);
  }
  for (const Hint& hint : reads.hints) {
    add_request(hint.stored.storage, hint.stored.path, hint.stored.offset, hint.stored.size_bytes);
  }
  answer(storages, loaded.requests);
}

// Hints that cannot be read or are damaged are as if there were none.
void take_hints(const ReadPlan& reads, EntryPointStore& store, LoadedGroup& loaded) {
  std::uint64_t num_found = 0;
  for (std::size_t i = 0; i < reads.hints.size(); ++i) {
    const Hint& hint = reads.hints[i];
    const storage::ReadRequest& request = loaded.requests[reads.spans.size() + i];
    Piece& piece = loaded.pieces[hint.piece];
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

void read_group(const ReadFrom& from, LoadedGroup& loaded, std::size_t limit_bytes,
                ThreadCounters& counters) {
  ReadPlan reads = plan_reads(from.plan, limit_bytes, loaded);
  plan_hints(from, limit_bytes, loaded, reads);
  const std::size_t held_before = loaded.buffer_bytes;
  loaded.reserve(reads.total_bytes);
  add(counters.held_bytes, loaded.buffer_bytes - held_before);
  read_planned(from.plan.source(), reads, loaded);

  for (const Placement& placement : reads.placements) {
    const storage::ReadRequest& request = loaded.requests[placement.request];
    Piece& piece = loaded.pieces[placement.piece];
    piece.status = request.status;
    piece.bytes = Bytes(request.out)
                      .subspan(placement.where.offset - request.offset, placement.where.size_bytes);
  }
  if (!reads.hints.empty()) take_hints(reads, from.entry_points->store(), loaded);
  add(counters.samples, loaded.picks.size());
  add(counters.bytes, reads.total_bytes);
}

ReadAhead::ReadAhead(std::size_t num_groups, std::size_t group_bytes)
    : group_bytes_(group_bytes), free_(num_groups), loaded_(num_groups) {
  for (std::size_t i = 0; i < num_groups; ++i) free_.send(std::make_unique<LoadedGroup>());
}

void ReadAhead::read_all(const ReadFrom& from, Schedule& schedule, ThreadCounters& counters) {
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
    read_group(from, **loaded, group_bytes_, counters);
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
