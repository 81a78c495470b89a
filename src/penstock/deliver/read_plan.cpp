// Merges what lies close together.
#include "penstock/deliver/read_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace penstock::deliver {
namespace {

// What lies this close together in one object is read at once: the gap (tar headers, small members
// that were not asked for) costs less than a second request.
constexpr std::uint64_t kMaxGapBytes = 16 << 10;
// One request gets no larger, so that several are under way side by side. A remote storage cuts it
// into parts that suit its server.
constexpr std::uint64_t kMaxJointBytes = 4 << 20;

bool is_near(const Span& span, const source::Piece& piece) {
  const std::uint64_t end = piece.offset + piece.size_bytes;
  return span.object == piece.object && piece.offset <= span.end + kMaxGapBytes &&
         span.begin <= end + kMaxGapBytes;
}

void plan_piece(Placement placement, std::size_t first_span, ReadPlan& reads) {
  const source::Piece& where = placement.where;
  for (std::size_t i = first_span; i < reads.spans.size(); ++i) {
    Span& span = reads.spans[i];
    if (!is_near(span, where)) continue;
    span.begin = std::min(span.begin, where.offset);
    span.end = std::max(span.end, where.offset + where.size_bytes);
    placement.span = i;
    reads.placements.push_back(placement);
    return;
  }
  placement.span = reads.spans.size();
  reads.placements.push_back(placement);
  reads.spans.push_back({where.object, where.offset, where.offset + where.size_bytes});
}

// Whether the cache has the image in the piece, or its bytes.
bool find_cached(const ReadFrom& from, const Placement& placement, Piece& piece) {
  const std::vector<pipeline::FieldPlan>& fields = from.plan.fields();
  const std::size_t field = placement.piece % fields.size();
  if (fields[field].keeps_pixels()) {
    piece.image_key = SampleKey{placement.where, static_cast<int>(field)};
    piece.image = from.cache->find_image(*piece.image_key);
    if (piece.image.data != nullptr) return true;
  }
  const std::optional<Bytes> found = from.cache->find_bytes({.where = placement.where});
  if (found) piece.bytes = *found;
  return found.has_value();
}

void plan_sample(const ReadFrom& from, std::size_t i, Stretch& stretch, ReadPlan& reads) {
  const std::vector<pipeline::FieldPlan>& fields = from.plan.fields();
  const std::size_t first_span = reads.spans.size();
  bool has_record = false;  // that is kept; all features lie in it
  for (std::size_t number = 0; number < fields.size(); ++number) {
    const pipeline::FieldPlan& field = fields[number];
    if (!field.is_in_storage()) continue;
    Placement placement{.piece = i * fields.size() + number};
    Piece& piece = stretch.pieces[placement.piece];
    const auto where = field.locate(from.plan.source(), stretch.picks[i].sample);
    if (!where.ok()) {
      piece.status = where.status();
      continue;
    }
    placement.where = *where;
    const bool is_feature = field.kind == source::FieldKind::kFeature;
    placement.is_kept = !field.keeps_pixels() && !(is_feature && std::exchange(has_record, true));
    if (from.cache != nullptr && find_cached(from, placement, piece)) {
      reads.cached.push_back(placement);
    } else {
      plan_piece(placement, first_span, reads);
    }
  }
}

void plan_samples(const ReadFrom& from, std::size_t limit_bytes, Stretch& stretch,
                  ReadPlan& reads) {
  stretch.pieces.assign(stretch.picks.size() * from.plan.fields().size(), {});
  stretch.deferred.assign(stretch.picks.size(), false);
  for (std::size_t i = 0; i < stretch.picks.size(); ++i) {
    const std::size_t num_spans = reads.spans.size();
    const std::size_t num_placements = reads.placements.size();
    const std::size_t num_cached = reads.cached.size();
    plan_sample(from, i, stretch, reads);
    std::uint64_t own_bytes = 0;
    for (std::size_t k = num_spans; k < reads.spans.size(); ++k) {
      own_bytes += reads.spans[k].size();
    }
    if (own_bytes <= limit_bytes - reads.total_bytes) {
      reads.total_bytes += own_bytes;
      continue;
    }
    reads.spans.resize(num_spans);
    reads.placements.resize(num_placements);
    reads.cached.resize(num_cached);
    stretch.deferred[i] = true;
  }
}

// Spans of different samples, where they are neighbours and the gaps between them fit too.
void join_spans(std::size_t limit_bytes, std::uint64_t max_joint_bytes, ReadPlan& reads) {
  std::vector<std::size_t> order(reads.spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    return std::tuple(reads.spans[i].object, reads.spans[i].begin);
  };
  if (reads.spans.size() > 1) std::ranges::sort(order, {}, place);
  for (const std::size_t i : order) {
    Span& span = reads.spans[i];
    Joint* last = reads.joints.empty() ? nullptr : &reads.joints.back();
    const std::uint64_t end = last == nullptr ? 0 : std::max(last->end, span.end);
    // By how many bytes the joint grows beyond the spans in it; less than 0 where they overlap.
    const bool is_neighbour = last != nullptr && last->object == span.object &&
                              span.begin <= last->end + kMaxGapBytes &&
                              end - last->begin <= max_joint_bytes;
    const std::uint64_t total =
        is_neighbour ? reads.total_bytes - span.size() + (end - last->end) : reads.total_bytes;
    if (!is_neighbour || total > limit_bytes) {
      span.joint = reads.joints.size();
      reads.joints.push_back({span.object, span.begin, span.end});
      continue;
    }
    reads.total_bytes = total;
    last->end = end;
    ++last->num_spans;
    span.joint = reads.joints.size() - 1;
  }
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

void plan_hints(const ReadFrom& from, std::span<const Placement> placements,
                std::size_t limit_bytes, Stretch& stretch, ReadPlan& reads) {
  const std::vector<pipeline::FieldPlan>& fields = from.plan.fields();
  for (const Placement& placement : placements) {
    const pipeline::FieldPlan& field = fields[placement.piece % fields.size()];
    if (!has_entry_points(field)) continue;
    find_entry_points(*from.entry_points, field, from.plan.source(), placement, reads,
                      stretch.pieces[placement.piece]);
    if (reads.hints.empty() || reads.hints.back().piece != placement.piece) continue;
    const std::size_t size = reads.hints.back().stored.size_bytes;
    if (size <= limit_bytes - reads.total_bytes) {
      reads.total_bytes += size;
    } else {
      reads.hints.pop_back();
    }
  }
}

}  // namespace

ReadPlan plan_reads(const ReadFrom& from, std::size_t limit_bytes, Stretch& stretch) {
  ReadPlan reads;
  plan_samples(from, limit_bytes, stretch, reads);
  // A buffer of blocks joins what lies together, and gives out what lies in one block.
  const std::uint64_t max_joint_bytes = from.blocks == nullptr ? kMaxJointBytes : 0;
  join_spans(limit_bytes, max_joint_bytes, reads);
  if (from.entry_points != nullptr) {
    plan_hints(from, reads.placements, limit_bytes, stretch, reads);
    plan_hints(from, reads.cached, limit_bytes, stretch, reads);
  }
  return reads;
}

}  // namespace penstock::deliver
