// What concat and zip have in common.
#include "penstock/source/children.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "penstock/base/hash.h"

namespace penstock::source {

Result<Children> Children::make(std::vector<std::unique_ptr<Source>> sources) {
  if (sources.empty()) return invalid_argument("no sources, expected one or more");
  Children children;
  std::uint64_t num_objects = 0;
  for (const auto& source : sources) {
    const std::uint64_t own = source->num_objects();
    if (own > std::numeric_limits<std::uint32_t>::max() - num_objects) {
      return unsupported("the sources have more than ", std::numeric_limits<std::uint32_t>::max(),
                         " files together");
    }
    num_objects += own;
    children.object_ends_.push_back(num_objects);
    const auto damages = source->damages();
    children.damages_.insert(children.damages_.end(), damages.begin(), damages.end());
  }
  children.sources_ = std::move(sources);
  return children;
}

std::string Children::name(std::size_t child) const {
  const Source& source = *sources_[child];
  if (source.num_samples() == 0) return concat("source ", child);
  return concat("source ", child, " (", source.origin(0).source, ")");
}

Result<Piece> Children::renumbered(Result<Piece> piece, std::size_t child) const {
  if (piece.ok() && child > 0) {
    piece->object += static_cast<std::uint32_t>(object_ends_[child - 1]);
  }
  return piece;
}

Children::Place Children::place_of(std::uint32_t object) const {
  const auto it = std::ranges::upper_bound(object_ends_, std::uint64_t{object});
  const auto child = static_cast<std::size_t>(it - object_ends_.begin());
  const std::uint64_t first = child == 0 ? 0 : object_ends_[child - 1];
  return {child, static_cast<std::uint32_t>(object - first)};
}

const storage::Storage* Children::storage(std::uint32_t object) const {
  const Place place = place_of(object);
  return sources_[place.child]->storage(place.object);
}

std::string_view Children::object_path(std::uint32_t object) const {
  const Place place = place_of(object);
  return sources_[place.child]->object_path(place.object);
}

std::uint64_t Children::object_bytes(std::uint32_t object) const {
  const Place place = place_of(object);
  return sources_[place.child]->object_bytes(place.object);
}

const IndexPlaces* Children::entry_point_places(std::uint32_t object) const {
  const Place place = place_of(object);
  return sources_[place.child]->entry_point_places(place.object);
}

bool Children::is_remote() const {
  return std::ranges::any_of(sources_, [](const auto& source) { return source->is_remote(); });
}

std::uint64_t Children::fingerprint(std::string_view kind) const {
  std::uint64_t hash = hash_text(kind);
  for (const auto& source : sources_) hash = combine_hash(hash, source->fingerprint());
  return hash;
}

std::uint64_t Children::memory_bytes() const {
  std::uint64_t bytes = object_ends_.capacity() * sizeof(std::uint64_t);
  for (const auto& source : sources_) bytes += source->memory_bytes();
  return bytes;
}

std::string describe_field(const FieldInfo& field) {
  switch (field.kind) {
    case FieldKind::kBytes:
      return "bytes";
    case FieldKind::kArray:
      return concat("array ", dtype_name(field.dtype), " of shape ", field.shape.text());
    case FieldKind::kFeature:
      return "feature";
  }
  return "unknown";
}

std::string list_fields(std::span<const FieldInfo> fields) {
  std::string names;
  for (const FieldInfo& field : fields) names += concat(names.empty() ? "" : ", ", field.name);
  return names;
}

}  // namespace penstock::source
