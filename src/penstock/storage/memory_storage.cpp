// Objects held in memory. The reference backend: the contract tests compare the others with it.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "penstock/storage/read_range.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {
namespace {

using Objects = std::map<std::string, std::string, std::less<>>;

void append_bytes(std::string& out, Bytes bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class MemoryStorage final : public Storage {
 public:
  explicit MemoryStorage(Objects objects) : objects_(std::move(objects)) {}

  void read(std::span<ReadRequest> requests, const std::stop_token&) const override {
    const std::shared_lock lock(mutex_);
    for (ReadRequest& request : requests) request.status = read_one(request);
  }

  Result<ObjectInfo> stat(std::string_view path) const override {
    const std::shared_lock lock(mutex_);
    const auto it = objects_.find(path);
    if (it == objects_.end()) return not_found("no such file").at(path);
    return ObjectInfo{it->first, it->second.size()};
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    const bool has_slash = folder.empty() || folder.ends_with('/');
    const std::string prefix = concat(folder, has_slash ? "" : "/");
    const std::shared_lock lock(mutex_);
    std::vector<ObjectInfo> found;
    for (auto it = objects_.lower_bound(prefix);
         it != objects_.end() && it->first.starts_with(prefix); ++it) {
      found.push_back({it->first, it->second.size()});
    }
    if (found.empty()) return not_found("no folder at ", folder);
    return found;
  }

  Status write(std::string_view path, Bytes bytes) const override {
    std::string content;
    append_bytes(content, bytes);
    put(std::string(path), std::move(content));
    return {};
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(*this, std::string(path)));
  }

  Status remove(std::string_view path) const override {
    const std::unique_lock lock(mutex_);
    const auto it = objects_.find(path);
    if (it == objects_.end()) return not_found("no such file").at(path);
    objects_.erase(it);
    return {};
  }

 private:
  class Writer final : public ObjectWriter {
   public:
    Writer(const MemoryStorage& storage, std::string path)
        : storage_(storage), path_(std::move(path)) {}

    Status append(Bytes bytes) override {
      append_bytes(content_, bytes);
      return {};
    }
    Status commit() override {
      storage_.put(std::move(path_), std::move(content_));
      return {};
    }

   private:
    const MemoryStorage& storage_;
    std::string path_;
    std::string content_;
  };

  Status read_one(const ReadRequest& request) const {
    const auto it = objects_.find(request.path);
    if (it == objects_.end()) return not_found("no such file");
    const std::string& content = it->second;
    if (request.out.empty()) return {};
    if (request.offset > content.size() || request.out.size() > content.size() - request.offset) {
      return ends_early(content.size(), request.offset, request.out.size());
    }
    const auto* begin = reinterpret_cast<const std::byte*>(content.data()) + request.offset;
    std::copy_n(begin, request.out.size(), request.out.begin());
    return {};
  }

  void put(std::string path, std::string content) const {
    const std::unique_lock lock(mutex_);
    objects_.insert_or_assign(std::move(path), std::move(content));
  }

  mutable std::shared_mutex mutex_;
  mutable Objects objects_;  // write() is const as for every storage: it changes what is stored
};

}  // namespace

std::unique_ptr<Storage> make_memory_storage(Objects objects) {
  return std::make_unique<MemoryStorage>(std::move(objects));
}

}  // namespace penstock::storage
