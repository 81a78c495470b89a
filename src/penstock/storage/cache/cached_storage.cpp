// A storage in front of another one. What is not remote passes through.
#include "penstock/storage/cache/cached_storage.h"

#include <optional>
#include <utility>
#include <vector>

#include "penstock/storage/cache/block_reader.h"
#include "penstock/storage/cache/block_store.h"
#include "penstock/storage/cache/cached_read.h"
#include "penstock/storage/cache/object_keys.h"

namespace penstock::storage {
namespace {

// Forgets the object when it is replaced.
class ForgettingWriter final : public ObjectWriter {
 public:
  ForgettingWriter(std::unique_ptr<ObjectWriter> inner, ObjectKeys& keys, std::string_view path)
      : inner_(std::move(inner)), keys_(keys), path_(path) {}

  Status append(Bytes bytes) override { return inner_->append(bytes); }
  Status commit() override {
    Status status = inner_->commit();
    keys_.forget(path_);
    return status;
  }

 private:
  const std::unique_ptr<ObjectWriter> inner_;
  ObjectKeys& keys_;
  const std::string path_;
};

class CachedStorage final : public Storage {
 public:
  CachedStorage(std::unique_ptr<Storage> inner, const CacheOptions& options)
      : inner_(std::move(inner)),
        counters_(options.counters ? options.counters : std::make_shared<CacheCounters>()),
        store_(options.folder, options.max_bytes, *counters_) {}

  void read(std::span<ReadRequest> requests, const std::stop_token& stop) const override {
    std::vector<CacheRequest> cached;
    std::vector<ReadRequest*> passed;
    for (ReadRequest& request : requests) {
      const auto object = kept_object(request, stop);
      if (object) {
        cached.push_back({&request, *object});
      } else {
        passed.push_back(&request);
      }
    }
    pass_on(passed, stop);
    if (cached.empty()) return;
    read_through({*inner_, store_, reader_, keys_, *counters_}, cached, stop);
  }

  bool is_remote(std::string_view path) const override { return inner_->is_remote(path); }

  Result<ObjectInfo> stat(std::string_view path) const override {
    auto info = inner_->stat(path);
    if (info.ok() && is_remote(path)) keys_.add(*info);
    return info;
  }

  std::vector<Result<ObjectInfo>> stat_all(std::span<const std::string> paths) const override {
    std::vector<Result<ObjectInfo>> found = inner_->stat_all(paths);
    for (const Result<ObjectInfo>& info : found) {
      if (info.ok() && is_remote(info->path)) keys_.add(*info);
    }
    return found;
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    auto objects = inner_->list(folder);
    if (objects.ok() && is_remote(folder)) add_listed(*objects);
    return objects;
  }

  Result<FolderListing> list_folder(std::string_view folder) const override {
    auto listing = inner_->list_folder(folder);
    if (listing.ok() && is_remote(folder)) add_listed(listing->objects);
    return listing;
  }

  Result<std::int64_t> folder_modified_ns(std::string_view folder) const override {
    return inner_->folder_modified_ns(folder);
  }

  Status write(std::string_view path, Bytes bytes) const override {
    Status status = inner_->write(path, bytes);
    keys_.forget(path);
    return status;
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    PENSTOCK_TRY_ASSIGN(auto writer, inner_->create(path));
    return std::unique_ptr<ObjectWriter>(
        std::make_unique<ForgettingWriter>(std::move(writer), keys_, path));
  }

  Status remove(std::string_view path) const override {
    Status status = inner_->remove(path);
    keys_.forget(path);
    return status;
  }

 private:
  void add_listed(std::span<const ObjectInfo> objects) const {
    for (const ObjectInfo& object : objects) keys_.add_listed(object);
  }

  // nullopt if the request is for `inner` alone, which answers what cannot be right in its own
  // words.
  std::optional<KnownObject> kept_object(const ReadRequest& request,
                                         const std::stop_token& stop) const {
    if (request.out.empty() || !is_remote(request.path)) return std::nullopt;
    auto object = keys_.find(request.path);
    if (!object) {
      if (stop.stop_requested()) return std::nullopt;
      const auto info = inner_->stat(request.path);
      if (!info.ok()) return std::nullopt;
      object = keys_.add(*info);
      if (object->key == 0) {
        counters_->set_problem(
            concat("cache: ", request.path, ": not kept, nothing tells its version"));
      }
    }
    const std::uint64_t size_bytes = object->size_bytes;
    const bool exists =
        request.offset <= size_bytes && request.out.size() <= size_bytes - request.offset;
    if (!exists || object->key == 0) return std::nullopt;
    return object;
  }

  void pass_on(std::span<ReadRequest* const> requests, const std::stop_token& stop) const {
    if (requests.empty()) return;
    std::vector<ReadRequest> passed;
    passed.reserve(requests.size());
    for (const ReadRequest* request : requests) passed.push_back(*request);
    inner_->read(passed, stop);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i]->status = std::move(passed[i].status);
      if (is_remote(requests[i]->path)) counters_->add_miss(requests[i]->out.size());
    }
  }

  const std::unique_ptr<Storage> inner_;
  const std::shared_ptr<CacheCounters> counters_;
  mutable BlockStore store_;  // read() is const as for every storage: it changes what is kept
  const BlockReader reader_;
  mutable ObjectKeys keys_;
};

}  // namespace

std::unique_ptr<Storage> make_cached_storage(std::unique_ptr<Storage> inner,
                                             const CacheOptions& options) {
  return std::make_unique<CachedStorage>(std::move(inner), options);
}

}  // namespace penstock::storage
