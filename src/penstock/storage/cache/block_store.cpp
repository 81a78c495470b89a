// Files are written under another name, then renamed. They are not synced: what a power failure
// tears is found by the hashes.
#include "penstock/storage/cache/block_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "penstock/storage/local_file.h"
#include "penstock/storage/local_folder.h"

namespace penstock::storage {
namespace {

// Bytes of the lock file, as locks.
constexpr std::uint64_t kPresenceByte = 0;  // shared: has the folder open; exclusive: alone
constexpr std::uint64_t kSumByte = 1;
constexpr std::uint64_t kFirstBlockByte = 16;

// A byte of a file in incoming/: is being written.
constexpr std::uint64_t kWritingByte = 0;

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error == std::errc::not_a_directory) return io_error("not a folder");
  if (error) return file_error(error.value());
  return {};
}

Status write_all(int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t num_written = ::write(fd, bytes.data(), bytes.size());
    if (num_written < 0 && errno == EINTR) continue;
    if (num_written < 0) return file_error(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(num_written));
  }
  return {};
}

std::uint64_t file_bytes(std::size_t data_bytes) { return data_bytes + footer_bytes(data_bytes); }

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

BlockStore::BlockStore(std::string folder, std::uint64_t max_bytes, CacheCounters& counters)
    : folder_(std::move(folder)), max_bytes_(max_bytes), counters_(counters) {
  const Status status = open();
  is_writable_ = status.ok();
  if (!status.ok()) give_up(status);
}

// Statuses do not name the folder.
Status BlockStore::open() {
  PENSTOCK_TRY(make_folder(concat(folder_, "/blocks")));
  PENSTOCK_TRY(make_folder(concat(folder_, "/incoming")));
  PENSTOCK_TRY_ASSIGN(LockFile file, LockFile::open(concat(folder_, "/lock")));
  lock_file_.emplace(std::move(file));
  locks_.emplace(*lock_file_, kFirstBlockByte);
  remove_leftovers();
  const bool is_alone = lock_file_->try_lock(kPresenceByte, LockKind::kExclusive);
  const Status status = is_alone ? recount() : Status();
  lock_file_->lock(kPresenceByte, LockKind::kShared);
  PENSTOCK_TRY(status);
  if (!change_sum([](std::uint64_t sum) { return sum; })) return io_error("lock: not writable");
  return {};
}

std::string BlockStore::path_of(BlockId id) const {
  return concat(folder_, "/blocks/", block_name(id));
}

std::optional<BlockState> BlockStore::state_of(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  std::uint64_t identity = combine_hash(info.st_dev, info.st_ino);
  identity = combine_hash(identity, nanoseconds(info.st_mtim));
  identity = combine_hash(identity, nanoseconds(info.st_ctim));
  const auto size_bytes = static_cast<std::uint64_t>(info.st_size);
  return BlockState{combine_hash(identity, size_bytes), size_bytes};
}

bool BlockStore::reserve(std::size_t data_bytes) {
  const std::uint64_t more = file_bytes(data_bytes);
  const bool has_room = change_sum([&](std::uint64_t sum) -> std::optional<std::uint64_t> {
    if (more > max_bytes_ || sum > max_bytes_ - more) return std::nullopt;
    return sum + more;
  });
  counters_.set_full(!has_room || !is_writable_);
  return has_room;
}

void BlockStore::give_back(std::size_t data_bytes) {
  const std::uint64_t less = file_bytes(data_bytes);
  change_sum([&](std::uint64_t sum) { return sum > less ? sum - less : 0; });
}

void BlockStore::write(BlockId id, Bytes data) {
  const Status status = write_file(id, data);
  if (status.ok()) return;
  give_back(data.size());
  // A process that opened the folder at this moment may have taken the new file for a leftover.
  if (status.code() != Code::kNotFound) give_up(status);
}

bool BlockStore::remove(BlockId id, const BlockState& state) {
  const std::string path = path_of(id);
  const auto now = state_of(path);
  if (!now || now->identity != state.identity) return true;
  if (unlink(path.c_str()) != 0) return errno == ENOENT;
  if (lock_file_) {
    change_sum(
        [&](std::uint64_t sum) { return sum > now->size_bytes ? sum - now->size_bytes : 0; });
  }
  return true;
}

Status BlockStore::write_file(BlockId id, Bytes data) const {
  std::string incoming = concat(folder_, "/incoming/XXXXXX");
  const int fd = mkostemp(incoming.data(), O_CLOEXEC);
  if (fd < 0) return io_error(file_error(errno).message());
  const LockFile file(fd);
  file.try_lock(kWritingByte, LockKind::kExclusive);
  Status status = write_all(fd, data);
  if (status.ok()) status = write_all(fd, make_footer(id, data));
  if (status.ok() && fchmod(fd, 0644) != 0) status = file_error(errno);
  const std::string path = path_of(id);
  if (status.ok() && rename(incoming.c_str(), path.c_str()) != 0) {
    status = make_folder(path.substr(0, path.rfind('/')));
    if (status.ok() && rename(incoming.c_str(), path.c_str()) != 0) status = file_error(errno);
  }
  if (!status.ok()) unlink(incoming.c_str());
  return status;
}

void BlockStore::give_up(const Status& status) {
  is_writable_ = false;
  counters_.set_full(true);
  counters_.set_problem(concat("cache: ", folder_, ": ", status.message()));
}

// Whoever is killed while writing leaves a file, but not its lock.
void BlockStore::remove_leftovers() const {
  const auto listing = list_local_folder(concat(folder_, "/incoming"));
  if (!listing.ok()) return;
  for (const ObjectInfo& object : listing->objects) {
    const int fd = ::open(object.path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    const LockFile file(fd);
    if (file.try_lock(kWritingByte, LockKind::kExclusive)) unlink(object.path.c_str());
  }
}

// Processes that were killed leave the sum wrong.
Status BlockStore::recount() {
  PENSTOCK_TRY_ASSIGN(const auto folders, list_local_folder(concat(folder_, "/blocks")));
  std::uint64_t sum = 0;
  for (const std::string& folder : folders.folders) {
    PENSTOCK_TRY_ASSIGN(const auto blocks, list_local_folder(folder));
    for (const ObjectInfo& block : blocks.objects) sum += block.size_bytes;
  }
  change_sum([&](std::uint64_t) { return sum; });
  return {};
}

// Plain reads and writes under a lock: a map of the file would answer a full disk with a signal.
template <class Next>
bool BlockStore::change_sum(Next next) {
  const std::scoped_lock lock(sum_mutex_);
  lock_file_->lock(kSumByte, LockKind::kExclusive);
  std::uint64_t sum = 0;
  bool is_changed = pread(lock_file_->fd(), &sum, sizeof sum, 0) >= 0;
  if (is_changed) counters_.set_stored(sum);
  if (const std::optional<std::uint64_t> changed = next(sum); is_changed && changed) {
    is_changed = pwrite(lock_file_->fd(), &*changed, sizeof sum, 0) == sizeof sum;
    if (is_changed) counters_.set_stored(*changed);
  } else {
    is_changed = false;
  }
  lock_file_->unlock(kSumByte);
  return is_changed;
}

}  // namespace penstock::storage
