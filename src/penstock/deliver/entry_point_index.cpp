// Open addressing with linear probing, at most four fifths full.
#include "penstock/deliver/entry_point_index.h"

#include <algorithm>
#include <utility>

namespace penstock::deliver {
namespace {

constexpr std::uint32_t kSizeBits = 20;
constexpr std::uint32_t kSizeMask = (std::uint32_t{1} << kSizeBits) - 1;
// The part of a record that was forgotten: its slot stays, so that others are found behind it.
constexpr std::uint32_t kForgotten = EntryPointIndex::kMaxParts;

constexpr std::size_t slots_for(std::size_t num_records) { return num_records * 5 / 4 + 2; }
constexpr std::size_t grown(std::size_t num_slots) { return num_slots + num_slots / 8 + 8; }

}  // namespace

EntryPointSpot EntryPointIndex::Slot::spot() const {
  return {part_and_size >> kSizeBits, offset, part_and_size & kSizeMask};
}

EntryPointIndex::Slot EntryPointIndex::make_slot(std::uint64_t key, const EntryPointSpot& spot) {
  return {key, spot.offset, spot.part << kSizeBits | (spot.size_bytes & kSizeMask)};
}

const EntryPointIndex::Slot* EntryPointIndex::search(const Table& table, std::uint64_t key) {
  if (table.slots.empty()) return nullptr;
  std::size_t i = key % table.slots.size();
  while (table.slots[i].part_and_size != 0 && table.slots[i].key != key) {
    if (++i == table.slots.size()) i = 0;
  }
  return &table.slots[i];
}

EntryPointIndex::Slot* EntryPointIndex::search(Table& table, std::uint64_t key) {
  return const_cast<Slot*>(search(std::as_const(table), key));
}

bool EntryPointIndex::can_resize(const Table& table, std::size_t num_slots) const {
  const std::size_t others = memory_bytes_ - table.slots.size() * sizeof(Slot);
  return num_slots <= (limit_bytes_ - std::min(limit_bytes_, others)) / sizeof(Slot);
}

bool EntryPointIndex::resize(Table& table, std::size_t num_slots) {
  if (!can_resize(table, num_slots)) return false;
  memory_bytes_ += (num_slots - table.slots.size()) * sizeof(Slot);
  Table larger{.slots = std::vector<Slot>(num_slots), .num_used = table.num_used};
  for (const Slot& slot : table.slots) {
    if (slot.part_and_size != 0) *search(larger, slot.key) = slot;
  }
  table = std::move(larger);
  return true;
}

void EntryPointIndex::reserve(std::size_t num_records) {
  // Hashes fall evenly, but not exactly so.
  const std::size_t mean = num_records / kNumTables;
  const std::size_t num_slots = slots_for(mean + mean / 32);
  for (Table& table : tables_) {
    if (num_slots > table.slots.size() && !resize(table, num_slots)) return;
  }
}

std::optional<EntryPointSpot> EntryPointIndex::find(std::uint64_t key) const {
  const Slot* slot = search(tables_[table_of(key)], key);
  if (slot == nullptr || slot->part_and_size == 0) return std::nullopt;
  const EntryPointSpot spot = slot->spot();
  if (spot.part == kForgotten) return std::nullopt;
  return spot;
}

EntryPointIndex::Inserted EntryPointIndex::insert(std::uint64_t key, const EntryPointSpot& spot) {
  Table& table = tables_[table_of(key)];
  Slot* slot = search(table, key);
  if (slot != nullptr && slot->part_and_size != 0) {
    const EntryPointSpot known = slot->spot();
    if (known.part != kForgotten && known.size_bytes > spot.size_bytes) return {};
    *slot = make_slot(key, spot);
    if (known.part == kForgotten) return {.is_in = true, .before = {}};
    return {.is_in = true, .before = known};
  }
  if (slots_for(table.num_used + 1) > table.slots.size()) {
    if (!resize(table, grown(table.slots.size()))) return {};
    slot = search(table, key);
  }
  *slot = make_slot(key, spot);
  ++table.num_used;
  return {.is_in = true, .before = {}};
}

bool EntryPointIndex::has_room(std::uint64_t key) const {
  const Table& table = tables_[table_of(key)];
  return slots_for(table.num_used + 1) <= table.slots.size() ||
         can_resize(table, grown(table.slots.size()));
}

void EntryPointIndex::forget(std::uint64_t key, const EntryPointSpot& spot) {
  Slot* slot = search(tables_[table_of(key)], key);
  if (slot == nullptr || slot->part_and_size == 0 || slot->spot() != spot) return;
  *slot = make_slot(key, {kForgotten, 0, 1});
}

}  // namespace penstock::deliver
