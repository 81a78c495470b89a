// Learning: into a buffer, from there into parts. Finding: in a table of what the parts hold.
#include "penstock/deliver/entry_point_store.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/source/path.h"

namespace penstock::deliver {
namespace {

// What is learnt is written when it is this much. While it is written, so much more may be learnt;
// buffers grow by doubling.
constexpr std::uint64_t kBufferBytes = 4 << 20;
constexpr std::uint64_t kBufferShares = 4;
// What a table needs at least, however few records there are.
constexpr std::uint64_t kTableBytes = 64 << 10;

// Parts that are small, or hold mostly what is not used any more, are merged if there are more.
constexpr std::uint64_t kSmallPartBytes = 1 << 20;
constexpr std::size_t kMaxSmallParts = 32;
constexpr std::uint64_t kMergedBytes = 16 << 20;
// No more than this is read to be merged, because a run waits for it; the next one goes on.
constexpr std::uint64_t kMaxMergeBytes = 64 << 20;
// A file that was begun before this, and never completed, never will be.
constexpr std::int64_t kLeftoverAgeNs = std::int64_t{24} * 3600 * 1'000'000'000;

// In a part: with its checksum and its row in the table.
std::uint64_t taken_bytes(std::uint32_t size_bytes) {
  return source::kEntryPointRowBytes + source::kEntryPointChecksumBytes + size_bytes;
}

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::uint64_t random_number() {
  std::random_device device;
  return combine_hash(std::uint64_t{device()} << 32 | device(),
                      static_cast<std::uint64_t>(now_ns()));
}

}  // namespace

EntryPointStore::EntryPointStore(std::vector<EntryPointFolder> folders,
                                 const EntryPointOptions& options)
    : options_(options), unique_(random_number()), pending_(folders.size()) {
  for (EntryPointFolder& folder : folders) {
    for (std::string* path : {&folder.places.beside, &folder.places.cached}) {
      // A request for each image's entry points would cost more than they save.
      if (folder.storage->is_remote(*path)) path->clear();
      directories_.push_back({.storage = folder.storage, .path = std::move(*path)});
    }
  }
  for (Directory& directory : directories_) {
    directory.is_writable = !directory.path.empty();
    list(directory);
  }
}

EntryPointStore::~EntryPointStore() { flush(); }

void EntryPointStore::list(Directory& directory) {
  if (directory.path.empty()) return;
  const auto is_new = [&](const std::string& path) { return !directory.known.contains(path); };
  directory.unread = list_parts(*directory.storage, directory.path, is_new);
  for (const PartFile& part : directory.unread) directory.known.insert(part.path);
}

std::uint64_t EntryPointStore::wanted_bytes() const {
  std::uint64_t num_records = 0;
  for (const Directory& directory : directories_) {
    for (const PartFile& part : directory.unread) num_records += part.header.num_records;
  }
  if (options_.learns) num_records += options_.num_images;
  return kTableBytes + num_records * EntryPointIndex::kBytesEach +
         (options_.learns ? kBufferShares * kBufferBytes : 0);
}

void EntryPointStore::load(std::uint64_t limit_bytes) {
  if (options_.learns) buffer_bytes_ = std::min(kBufferBytes, limit_bytes / kBufferShares / 2);
  index_ = EntryPointIndex(limit_bytes - kBufferShares * buffer_bytes_);
  std::uint64_t num_records = 0;
  for (const Directory& directory : directories_) {
    for (const PartFile& part : directory.unread) num_records += part.header.num_records;
  }
  index_.reserve(num_records);
  for (std::uint32_t i = 0; i < directories_.size(); ++i) {
    read_listed(i);
    if (options_.learns && options_.tidies) tidy(i);
  }
  learns_ = options_.learns;
}

void EntryPointStore::read_listed(std::uint32_t directory) {
  const std::vector<PartFile> listed = std::exchange(directories_[directory].unread, {});
  read_tables(*directories_[directory].storage, listed,
              [&](std::size_t i, std::span<const source::EntryPointRecord> records) {
                add_part(directory, listed[i].path, listed[i].size_bytes, records);
              });
}

bool EntryPointStore::add_part(std::uint32_t directory, std::string path, std::uint64_t size_bytes,
                               std::span<const source::EntryPointRecord> records) {
  const std::unique_lock lock(index_mutex_);
  if (parts_.size() >= EntryPointIndex::kMaxParts) return false;
  const auto number = static_cast<std::uint32_t>(parts_.size());
  Part& part = parts_.emplace_back(Part{directory, std::move(path), size_bytes, 0});
  for (const source::EntryPointRecord& record : records) {
    const auto inserted = index_.insert(record.key, {number, record.offset, record.size_bytes});
    if (!inserted.is_in) continue;
    part.live_bytes += taken_bytes(record.size_bytes);
    if (inserted.before) {
      parts_[inserted.before->part].live_bytes -= taken_bytes(inserted.before->size_bytes);
    }
  }
  return true;
}

std::optional<StoredEntryPoints> EntryPointStore::find(std::uint64_t hash) const {
  const std::shared_lock lock(index_mutex_);
  const auto spot = index_.find(hash);
  if (!spot) return std::nullopt;
  const Part& part = parts_[spot->part];
  return StoredEntryPoints{.storage = directories_[part.directory].storage,
                           .path = part.path,
                           .offset = spot->offset,
                           .size_bytes = source::kEntryPointChecksumBytes + spot->size_bytes,
                           .spot = *spot};
}

void EntryPointStore::forget(std::uint64_t hash, const EntryPointSpot& spot) {
  const std::unique_lock lock(index_mutex_);
  if (index_.find(hash) != spot) return;
  index_.forget(hash, spot);
  parts_[spot.part].live_bytes -= taken_bytes(spot.size_bytes);
}

bool EntryPointStore::is_worth_keeping(std::uint64_t hash, std::size_t size_bytes,
                                       bool& is_known) const {
  const std::shared_lock lock(index_mutex_);
  const auto known = index_.find(hash);
  is_known = known.has_value();
  // A table that is full would forget new ones, and they would be written again every epoch.
  if (!known) return index_.has_room(hash);
  return known->size_bytes <= size_bytes;
}

void EntryPointStore::learn(const EntryPointKey& key, Bytes bytes) {
  if (!learns() || bytes.empty() || bytes.size() >= source::kEntryPointRecordLimit) return;
  bool is_known = false;
  if (!is_worth_keeping(key.hash, bytes.size(), is_known)) return;

  std::unique_lock pending_lock(pending_mutex_);
  // Only if a slow disk did not take yet what filled the buffer before: these are lost.
  if (pending_bytes_ < buffer_bytes_) {
    pending_[key.folder].add(key.hash, bytes);
    pending_bytes_ += bytes.size();
    ++(is_known ? num_extended_ : num_learnt_);
  }
  if (pending_bytes_ < buffer_bytes_) return;
  const std::unique_lock write_lock(write_mutex_, std::try_to_lock);
  if (!write_lock) return;
  const Parts parts = take_pending();
  pending_lock.unlock();
  write(parts);
}

EntryPointStore::Parts EntryPointStore::take_pending() {
  pending_bytes_ = 0;
  return std::exchange(pending_, Parts(pending_.size()));
}

void EntryPointStore::flush() {
  const std::scoped_lock write_lock(write_mutex_);
  std::unique_lock pending_lock(pending_mutex_);
  const Parts parts = take_pending();
  pending_lock.unlock();
  write(parts);
}

void EntryPointStore::write(const Parts& parts) {
  for (std::uint32_t folder = 0; folder < parts.size(); ++folder) {
    if (parts[folder].is_empty() || !learns()) continue;
    const Status status = write_to_folder(folder, parts[folder]);
    if (status.ok()) continue;
    learns_ = false;
    const std::scoped_lock lock(pending_mutex_);
    problem_ = status.message();
  }
}

Status EntryPointStore::write_to_folder(std::uint32_t folder, const source::EntryPointPart& part) {
  Status first_failure;
  for (const std::uint32_t i : {2 * folder, 2 * folder + 1}) {
    Directory& directory = directories_[i];
    if (!directory.is_writable) continue;
    const std::string name = part_name(now_ns(), combine_hash(unique_, num_written_++));
    std::string path = source::join_path(directory.path, name);
    const Status status = write_part(*directory.storage, path, part);
    if (status.ok()) {
      directory.known.insert(path);
      if (add_part(i, std::move(path), part.size_bytes(), part.records())) return {};
      return resource_exhausted(directory.path, ": more than ", EntryPointIndex::kMaxParts,
                                " files of entry points");
    }
    directory.is_writable = false;
    if (first_failure.ok()) first_failure = status;
  }
  if (first_failure.ok()) return io_error("no folder to keep entry points in can be written");
  return first_failure;
}

void EntryPointStore::begin_epoch(std::uint32_t epoch) {
  std::int64_t last = epoch_.load(std::memory_order_relaxed);
  if (last >= std::int64_t{epoch} || !epoch_.compare_exchange_strong(last, epoch)) return;
  if (last < 0) return;
  flush();
  const std::scoped_lock lock(write_mutex_);
  for (std::uint32_t i = 0; i < directories_.size(); ++i) {
    list(directories_[i]);
    read_listed(i);
  }
}

EntryPointStats EntryPointStore::stats() const {
  EntryPointStats stats{.found = num_found_, .learnt = num_learnt_, .extended = num_extended_};
  {
    const std::shared_lock lock(index_mutex_);
    for (const Part& part : parts_) stats.stored_bytes += part.size_bytes;
  }
  const std::scoped_lock lock(pending_mutex_);
  stats.problem = problem_;
  return stats;
}

std::uint64_t EntryPointStore::memory_bytes() const {
  std::uint64_t bytes = 0;
  {
    const std::shared_lock lock(index_mutex_);
    bytes = index_.memory_bytes();
  }
  const std::scoped_lock lock(pending_mutex_);
  return bytes + pending_bytes_;
}

void EntryPointStore::tidy(std::uint32_t directory) {
  remove_leftovers(*directories_[directory].storage, directories_[directory].path,
                   now_ns() - kLeftoverAgeNs);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const bool is_worth_it =
        part.size_bytes < kSmallPartBytes || part.live_bytes < part.size_bytes / 2;
    if (part.directory == directory && is_worth_it) chosen.push_back(i);
  }
  if (chosen.size() <= kMaxSmallParts) return;
  std::uint64_t read_bytes = 0;
  for (std::size_t first = 0; first < chosen.size() && read_bytes < kMaxMergeBytes;) {
    std::size_t end = first;
    std::uint64_t live_bytes = 0;
    while (end < chosen.size() && live_bytes < kMergedBytes && read_bytes < kMaxMergeBytes) {
      live_bytes += parts_[chosen[end]].live_bytes;
      read_bytes += parts_[chosen[end++]].size_bytes;
    }
    merge(directory, std::span(chosen).subspan(first, end - first));
    first = end;
  }
}

// The new part is whole before the old ones go, so that a crash leaves records twice, not none. Two
// processes that do the same at once give the new part the same name.
void EntryPointStore::merge(std::uint32_t directory, std::span<const std::uint32_t> parts) {
  Directory& place = directories_[directory];
  source::EntryPointPart merged;
  std::vector<std::uint32_t> copied;
  std::uint64_t names = 0;
  for (const std::uint32_t number : parts) {
    const auto is_live = [&](const source::EntryPointRecord& record) {
      return index_.find(record.key) == EntryPointSpot{number, record.offset, record.size_bytes};
    };
    const std::string& path = parts_[number].path;
    if (!copy_records(*place.storage, path, is_live, merged).ok()) continue;
    copied.push_back(number);
    names = hash_text(source::base_name(path), names);
  }
  if (!merged.is_empty()) {
    // With the time of the newest, because of records that are as long the later one is taken.
    const std::string_view newest = source::base_name(parts_[copied.back()].path);
    std::string path = source::join_path(place.path, merged_part_name(newest, names));
    if (!write_part(*place.storage, path, merged).ok()) return;
    place.known.insert(path);
    if (!add_part(directory, std::move(path), merged.size_bytes(), merged.records())) return;
  }
  for (const std::uint32_t number : copied) {
    // One that stays is merged again another time.
    (void)place.storage->remove(parts_[number].path);
    parts_[number].size_bytes = 0;
  }
}

}  // namespace penstock::deliver
