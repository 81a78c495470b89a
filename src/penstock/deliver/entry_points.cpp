// Which fields of a plan hold images, and in which folders their entry points are.
#include "penstock/deliver/entry_points.h"

#include <algorithm>
#include <map>
#include <string>
#include <variant>

namespace penstock::deliver {

bool has_entry_points(const pipeline::FieldPlan& field) {
  if (!field.is_in_storage() || field.keeps_pixels()) return false;
  if (std::holds_alternative<pipeline::ImageReader>(field.reader)) return true;
  const auto* check = std::get_if<pipeline::CheckReader>(&field.reader);
  return check != nullptr &&
         (check->content == pipeline::Content::kImage || check->content == pipeline::Content::kAny);
}

std::unique_ptr<EntryPoints> EntryPoints::open(const pipeline::Plan& plan, EntryPointUse use) {
  const auto num_fields = std::ranges::count_if(plan.fields(), &has_entry_points);
  if (use == EntryPointUse::kOff || num_fields == 0) return nullptr;
  std::unique_ptr<EntryPoints> points(new EntryPoints(plan.source()));
  std::vector<EntryPointFolder> folders = points->find_folders();
  if (folders.empty()) return nullptr;
  const EntryPointOptions options{
      .learns = use == EntryPointUse::kLearn,
      .tidies = plan.spec().shard->rank == 0,
      .num_images = plan.source().num_samples() * static_cast<std::uint64_t>(num_fields)};
  points->store_ = std::make_unique<EntryPointStore>(std::move(folders), options);
  return points;
}

std::vector<EntryPointFolder> EntryPoints::find_folders() {
  std::vector<EntryPointFolder> folders;
  std::map<std::pair<const storage::Storage*, std::string>, std::uint32_t> known;
  const source::IndexPlaces* last = nullptr;
  for (std::uint64_t i = 0; i < source_.num_objects(); ++i) {
    const auto object = static_cast<std::uint32_t>(i);
    const source::IndexPlaces* places = source_.entry_point_places(object);
    if (places == nullptr || std::exchange(last, places) == places) continue;
    if (places->beside.empty() && places->cached.empty()) continue;
    const storage::Storage* storage = source_.storage(object);
    const auto [it, is_new] =
        known.try_emplace({storage, concat(places->beside, '\n', places->cached)},
                          static_cast<std::uint32_t>(folders.size()));
    if (is_new) folders.push_back({storage, *places});
    numbers_.emplace_back(places, it->second);
  }
  std::ranges::sort(numbers_);
  return folders;
}

std::optional<EntryPointKey> EntryPoints::key_of(const source::Piece& piece,
                                                 std::string_view feature) const {
  const source::IndexPlaces* places = source_.entry_point_places(piece.object);
  const auto it = std::ranges::lower_bound(numbers_, places, std::less<>{},
                                           &decltype(numbers_)::value_type::first);
  if (it == numbers_.end() || it->first != places) return std::nullopt;
  return EntryPointKey{source::entry_point_key(source_.object_path(piece.object), piece, feature),
                       it->second};
}

}  // namespace penstock::deliver
