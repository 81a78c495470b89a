// Files of the local file system.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <compare>
#include <string>
#include <tuple>
#include <utility>

#include "penstock/storage/file_writer.h"
#include "penstock/storage/local_file.h"
#include "penstock/storage/local_folder.h"
#include "penstock/storage/ring_pool.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {
namespace {

void read_alone(ReadRequest& request) {
  const auto file = LocalFile::open(std::string(request.path));
  request.status = file.ok() ? file->read(request.offset, request.out) : file.status();
}

// By path, so that each file is opened once; then by offset, as disks like it.
std::vector<ReadRequest*> in_file_order(std::span<ReadRequest> requests) {
  std::vector<ReadRequest*> order;
  order.reserve(requests.size());
  for (ReadRequest& request : requests) order.push_back(&request);
  std::ranges::sort(order, [](const ReadRequest* a, const ReadRequest* b) {
    return std::tie(a->path, a->offset) < std::tie(b->path, b->offset);
  });
  return order;
}

void read_in_turn(std::span<ReadRequest* const> requests) {
  Result<LocalFile> file = internal_error("no file is open yet");
  const ReadRequest* last = nullptr;
  for (ReadRequest* request : requests) {
    if (last == nullptr || last->path != request->path) {
      file = LocalFile::open(std::string(request->path));
    }
    request->status = file.ok() ? file->read(request->offset, request->out) : file.status();
    last = request;
  }
}

struct FolderId {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FolderId&, const FolderId&) = default;
};

// Every file below a folder in path order. Links are followed; one that leads back to a folder it
// lies in is passed over.
class Walk {
 public:
  Status add_folder(const std::string& folder) {
    PENSTOCK_TRY_ASSIGN(FolderListing listing, list_local_folder(folder));
    struct stat info;
    if (stat(folder.empty() ? "." : folder.c_str(), &info) != 0) {
      return file_error(errno).at(folder);
    }
    const FolderId id{info.st_dev, info.st_ino};
    if (std::ranges::find(above_, id) != above_.end()) return {};
    above_.push_back(id);
    PENSTOCK_TRY(add_entries(listing));
    above_.pop_back();
    return {};
  }

  std::vector<ObjectInfo> take_objects() { return std::move(objects_); }

 private:
  // In path order the files of a folder `a` stand where `a/` does: behind a file `a-b`.
  Status add_entries(FolderListing& listing) {
    for (std::string& inner : listing.folders) inner += '/';
    std::ranges::sort(listing.folders);
    auto inner = listing.folders.begin();
    for (ObjectInfo& object : listing.objects) {
      for (; inner != listing.folders.end() && *inner < object.path; ++inner) {
        PENSTOCK_TRY(add_folder(*inner));
      }
      objects_.push_back(std::move(object));
    }
    for (; inner != listing.folders.end(); ++inner) PENSTOCK_TRY(add_folder(*inner));
    return {};
  }

  std::vector<ObjectInfo> objects_;
  std::vector<FolderId> above_;  // the folder being walked and those it lies in
};

class LocalStorage final : public Storage {
 public:
  explicit LocalStorage(LocalIo io) {
    if (io == LocalIo::kAuto) rings_ = RingPool::make();
  }

  void read(std::span<ReadRequest> requests, const std::stop_token&) const override {
    if (requests.size() == 1) return read_alone(requests[0]);
    const std::vector<ReadRequest*> order = in_file_order(requests);
    if (rings_ == nullptr || !rings_->read(order)) read_in_turn(order);
  }

  Result<ObjectInfo> stat(std::string_view path) const override {
    std::string name(path);
    struct stat info;
    if (::stat(name.c_str(), &info) != 0) return file_error(errno).at(path);
    if (!S_ISREG(info.st_mode)) {
      return file_error(S_ISDIR(info.st_mode) ? EISDIR : ESPIPE).at(path);
    }
    const std::int64_t modified_ns =
        std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
    return ObjectInfo{std::move(name), static_cast<std::uint64_t>(info.st_size), modified_ns};
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    Walk walk;
    PENSTOCK_TRY(walk.add_folder(std::string(folder)));
    return walk.take_objects();
  }

  Result<FolderListing> list_folder(std::string_view folder) const override {
    return list_local_folder(folder);
  }

  Result<std::int64_t> folder_modified_ns(std::string_view folder) const override {
    return local_folder_modified_ns(folder);
  }

  Status write(std::string_view path, Bytes bytes) const override {
    PENSTOCK_TRY_ASSIGN(const auto writer, make_file_writer(path));
    PENSTOCK_TRY(writer->append(bytes));
    return writer->commit();
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    return make_file_writer(path);
  }

  Status remove(std::string_view path) const override {
    if (unlink(std::string(path).c_str()) != 0) return file_error(errno).at(path);
    return {};
  }

 private:
  std::unique_ptr<RingPool> rings_;  // null: pread
};

}  // namespace

std::unique_ptr<Storage> make_local_storage(LocalIo io) {
  return std::make_unique<LocalStorage>(io);
}

}  // namespace penstock::storage
