// Which entry points are known and where they lie: a table in memory of about 20 bytes an image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace penstock::deliver {

// Where a record lies.
struct EntryPointSpot {
  std::uint32_t part = 0;        // number of the part, below EntryPointIndex::kMaxParts
  std::uint32_t offset = 0;      // of its checksum in the part
  std::uint32_t size_bytes = 0;  // without its checksum; above 0
  friend bool operator==(const EntryPointSpot&, const EntryPointSpot&) = default;
};

// Spots by key. Keys are hashes, so that their bits choose the place directly. Not thread-safe.
class EntryPointIndex {
 public:
  static constexpr std::uint32_t kMaxParts = (1 << 12) - 1;
  // Memory for one record while there is room for a few more.
  static constexpr std::size_t kBytesEach = 23;

  // It never takes more memory than this.
  explicit EntryPointIndex(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Makes room for so many at once; less if the limit does not allow it.
  void reserve(std::size_t num_records);

  std::optional<EntryPointSpot> find(std::uint64_t key) const;

  struct Inserted {
    bool is_in = false;
    std::optional<EntryPointSpot> before;  // what it took the place of
  };
  // A longer record stays; of two that are as long the one inserted last. Not in if there is no
  // room either.
  Inserted insert(std::uint64_t key, const EntryPointSpot& spot);

  // Whether a key that is not known could be inserted now.
  bool has_room(std::uint64_t key) const;

  // Forgets the record, if that is where it lies.
  void forget(std::uint64_t key, const EntryPointSpot& spot);

  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t offset = 0;
    std::uint32_t part_and_size = 0;  // part << 20 | size; 0: the slot is free

    EntryPointSpot spot() const;
  };
  // One of many, so that growing needs little memory beside what there is.
  struct Table {
    std::vector<Slot> slots;
    std::size_t num_used = 0;
  };
  static constexpr std::size_t kNumTables = 64;

  static Slot make_slot(std::uint64_t key, const EntryPointSpot& spot);
  static std::size_t table_of(std::uint64_t key) { return key >> 58; }
  // The slot that holds the key, or the free one where it would go; null if there are no slots.
  static const Slot* search(const Table& table, std::uint64_t key);
  static Slot* search(Table& table, std::uint64_t key);
  bool can_resize(const Table& table, std::size_t num_slots) const;
  bool resize(Table& table, std::size_t num_slots);

  std::size_t limit_bytes_;
  std::size_t memory_bytes_ = 0;
  std::array<Table, kNumTables> tables_;
};

}  // namespace penstock::deliver
