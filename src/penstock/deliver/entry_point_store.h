// What decoders learn about images in one epoch, kept beside the data for the next one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/deliver/entry_point_index.h"
#include "penstock/deliver/entry_point_parts.h"
#include "penstock/source/entry_point_file.h"
#include "penstock/source/index_file.h"
#include "penstock/storage/storage.h"

namespace penstock::deliver {

struct EntryPointStats {
  std::uint64_t found = 0;         // images that came with entry points
  std::uint64_t learnt = 0;        // images that had none before
  std::uint64_t extended = 0;      // images that had some, and have more or others now
  std::uint64_t stored_bytes = 0;  // of the files that hold them
  std::string problem;             // why nothing more is kept; empty if all is well
};

// An image, to those who keep its entry points.
struct EntryPointKey {
  std::uint64_t hash = 0;    // source::entry_point_key()
  std::uint32_t folder = 0;  // number of the folders they belong into
};

// Where entry points lie in storage. The path is valid as long as the store.
struct StoredEntryPoints {
  const storage::Storage* storage = nullptr;
  std::string_view path;
  std::uint64_t offset = 0;
  std::size_t size_bytes = 0;  // with their checksum: see source::checked_entry_points()
  EntryPointSpot spot;
};

// A place for entry points, and another if that cannot be written.
struct EntryPointFolder {
  const storage::Storage* storage = nullptr;
  source::IndexPlaces places;
};

struct EntryPointOptions {
  bool learns = true;
  bool tidies = true;            // merges many small parts; one of several ranks is enough
  std::uint64_t num_images = 0;  // that may be learnt
};

// Entry points are hints: whatever goes wrong here loses some, and fails nothing. Every method but
// load() is safe from any thread. Storages must outlive it.
class EntryPointStore {
 public:
  // Looks which parts there are.
  EntryPointStore(std::vector<EntryPointFolder> folders, const EntryPointOptions& options);
  // Writes what is not written yet.
  ~EntryPointStore();
  EntryPointStore(const EntryPointStore&) = delete;
  EntryPointStore& operator=(const EntryPointStore&) = delete;

  // Memory that it can make use of.
  std::uint64_t wanted_bytes() const;
  // Reads the tables of the parts. It holds at most `limit_bytes` from now on. The first call.
  void load(std::uint64_t limit_bytes);

  bool learns() const { return learns_.load(std::memory_order_relaxed); }
  std::optional<StoredEntryPoints> find(std::uint64_t hash) const;
  // They were read and found damaged, or could not be read.
  void forget(std::uint64_t hash, const EntryPointSpot& spot);
  void count_found(std::uint64_t num_images) { num_found_ += num_images; }

  // May write a part, if this fills the buffer.
  void learn(const EntryPointKey& key, Bytes bytes);
  // Writes what was learnt.
  void flush();
  // Called at any time in `epoch`: with a new one, what was learnt in the last is written, and what
  // other processes wrote is looked up.
  void begin_epoch(std::uint32_t epoch);

  EntryPointStats stats() const;
  // Bytes held now.
  std::uint64_t memory_bytes() const;

 private:
  struct Directory {
    const storage::Storage* storage = nullptr;
    std::string path;
    std::vector<PartFile> unread;  // parts that are listed and whose tables are not read
    std::set<std::string> known;   // paths of all that were listed or written
    bool is_writable = true;       // as far as is known; of those that write alone
  };
  struct Part {
    std::uint32_t directory = 0;
    std::string path;
    std::uint64_t size_bytes = 0;
    std::uint64_t live_bytes = 0;  // of records that the index knows, with all they take in it
  };
  using Parts = std::vector<source::EntryPointPart>;  // one for each folder

  void list(Directory& directory);
  void read_listed(std::uint32_t directory);
  // False if there are too many parts.
  bool add_part(std::uint32_t directory, std::string path, std::uint64_t size_bytes,
                std::span<const source::EntryPointRecord> records);
  bool is_worth_keeping(std::uint64_t hash, std::size_t size_bytes, bool& is_known) const;
  // With write_mutex_ held.
  void write(const Parts& parts);
  Status write_to_folder(std::uint32_t folder, const source::EntryPointPart& part);
  Parts take_pending();

  void tidy(std::uint32_t directory);
  void merge(std::uint32_t directory, std::span<const std::uint32_t> parts);

  const EntryPointOptions options_;
  std::vector<Directory> directories_;  // of folder i: 2 i beside the data, 2 i + 1 in the cache
  const std::uint64_t unique_;
  std::uint64_t num_written_ = 0;  // guarded by write_mutex_
  std::size_t buffer_bytes_ = 0;
  std::atomic<bool> learns_ = false;
  std::atomic<std::int64_t> epoch_ = -1;
  std::atomic<std::uint64_t> num_found_ = 0;
  std::atomic<std::uint64_t> num_learnt_ = 0;
  std::atomic<std::uint64_t> num_extended_ = 0;

  mutable std::shared_mutex index_mutex_;  // of index_ and parts_
  EntryPointIndex index_{0};
  std::deque<Part> parts_;  // their addresses stay

  mutable std::mutex pending_mutex_;  // of these
  Parts pending_;
  std::size_t pending_bytes_ = 0;
  std::string problem_;

  // Held by who writes. Taken before the others, or only tried.
  std::mutex write_mutex_;
};

}  // namespace penstock::deliver
