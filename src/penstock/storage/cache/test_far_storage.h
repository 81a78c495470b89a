// A remote storage for tests and benchmarks: objects of made-up bytes, and counts of what is read.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/storage/cache/block_file.h"
#include "penstock/storage/read_range.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// In memory that processes made by fork() share.
struct FarCounts {
  std::atomic<std::uint64_t> num_stats = 0;
  std::atomic<std::uint64_t> num_requests = 0;
  std::atomic<std::uint64_t> num_bytes = 0;
  std::atomic<std::uint64_t> max_call_bytes = 0;                 // asked for in one call of read()
  std::array<std::atomic<std::uint32_t>, 256> num_fetched = {};  // by number of the block

  std::uint32_t max_fetched() const {
    std::uint32_t most = 0;
    for (const auto& num : num_fetched) most = std::max(most, num.load());
    return most;
  }
};

// What is behind the network; outlives the storages that show it.
class FarServer {
 public:
  struct Object {
    std::uint64_t size_bytes = 0;
    std::uint64_t version = 0;
    std::int64_t modified_ns = 0;
    std::uint64_t real_size_bytes = ~std::uint64_t{0};  // if it is shorter than it says
  };

  FarServer() {
    void* memory =
        mmap(nullptr, sizeof(FarCounts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    counts_ = new (memory) FarCounts();
  }
  FarServer(const FarServer&) = delete;
  FarServer& operator=(const FarServer&) = delete;
  ~FarServer() { munmap(counts_, sizeof(FarCounts)); }

  FarCounts& counts() { return *counts_; }

  void put(const std::string& path, const Object& object) {
    const std::scoped_lock lock(mutex_);
    objects_[path] = object;
  }
  Result<Object> find(std::string_view path) {
    const std::scoped_lock lock(mutex_);
    const auto at = objects_.find(path);
    if (at == objects_.end()) return not_found("no such object");
    return at->second;
  }
  std::map<std::string, Object, std::less<>> objects() {
    const std::scoped_lock lock(mutex_);
    return objects_;
  }

  // Every read fails with this one, unless it is ok.
  void set_failure(Status status) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::move(status);
  }
  Status failure() {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

  std::chrono::microseconds delay{0};  // of each call of read()

 private:
  FarCounts* counts_;
  std::mutex mutex_;
  std::map<std::string, Object, std::less<>> objects_;
  Status failure_;
};

// The byte that an object has at a place.
inline std::byte far_byte(std::string_view path, std::uint64_t version, std::uint64_t at) {
  const std::uint64_t word = combine_hash(hash_text(path, version), at / 8);
  return static_cast<std::byte>(word >> (8 * (at % 8)));
}

inline void fill_far_bytes(std::string_view path, std::uint64_t version, std::uint64_t at,
                           MutableBytes out) {
  const std::uint64_t seed = hash_text(path, version);
  std::uint64_t word = combine_hash(seed, at / 8);
  for (std::byte& byte : out) {
    if (at % 8 == 0) word = combine_hash(seed, at / 8);
    byte = static_cast<std::byte>(word >> (8 * (at % 8)));
    ++at;
  }
}

// Paths that begin with "far" are remote; others are held in memory.
class FarStorage final : public Storage {
 public:
  explicit FarStorage(FarServer& server) : server_(server), near_(make_memory_storage({})) {}

  void read(std::span<ReadRequest> requests, const std::stop_token& stop) const override {
    std::uint64_t call_bytes = 0;
    for (const ReadRequest& request : requests) call_bytes += request.out.size();
    std::uint64_t before = server_.counts().max_call_bytes;
    while (before < call_bytes &&
           !server_.counts().max_call_bytes.compare_exchange_weak(before, call_bytes)) {
    }
    std::this_thread::sleep_for(server_.delay);
    for (ReadRequest& request : requests) {
      if (!is_remote(request.path)) {
        near_->read({&request, 1});
      } else {
        request.status = stop.stop_requested() ? cancelled("stopped") : read_one(request);
      }
    }
  }

  bool is_remote(std::string_view path) const override { return path.starts_with("far"); }

  Result<ObjectInfo> stat(std::string_view path) const override {
    if (!is_remote(path)) return near_->stat(path);
    ++server_.counts().num_stats;
    const auto object = server_.find(path);
    if (!object.ok()) return object.status().at(path);
    return ObjectInfo{std::string(path), object->size_bytes, object->modified_ns, object->version};
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    if (!is_remote(folder)) return near_->list(folder);
    std::vector<ObjectInfo> found;
    for (const auto& [path, object] : server_.objects()) {
      found.push_back({path, object.size_bytes, object.modified_ns, object.version});
    }
    return found;
  }

  // Another version of an object, or a new one.
  Status write(std::string_view path, Bytes bytes) const override {
    if (!is_remote(path)) return near_->write(path, bytes);
    const auto before = server_.find(path);
    server_.put(std::string(path), {bytes.size(), before.ok() ? before->version + 1 : 1});
    return {};
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    return std::unique_ptr<ObjectWriter>(std::make_unique<Writer>(*this, std::string(path)));
  }

 private:
  class Writer final : public ObjectWriter {
   public:
    Writer(const FarStorage& storage, std::string path)
        : storage_(storage), path_(std::move(path)) {}
    Status append(Bytes bytes) override {
      content_.insert(content_.end(), bytes.begin(), bytes.end());
      return {};
    }
    Status commit() override { return storage_.write(path_, content_); }

   private:
    const FarStorage& storage_;
    const std::string path_;
    std::vector<std::byte> content_;
  };

  Status read_one(const ReadRequest& request) const {
    PENSTOCK_TRY(server_.failure());
    PENSTOCK_TRY_ASSIGN(const FarServer::Object object, server_.find(request.path));
    const std::uint64_t size = std::min(object.size_bytes, object.real_size_bytes);
    if (request.offset > size || request.out.size() > size - request.offset) {
      return ends_early(size, request.offset, request.out.size());
    }
    FarCounts& counts = server_.counts();
    ++counts.num_requests;
    counts.num_bytes += request.out.size();
    const std::uint64_t end = request.offset + request.out.size();
    for (std::uint64_t at = request.offset; at < end; at = (at / kBlockBytes + 1) * kBlockBytes) {
      ++counts.num_fetched[at / kBlockBytes % counts.num_fetched.size()];
    }
    fill_far_bytes(request.path, object.version, request.offset, request.out);
    return {};
  }

  FarServer& server_;
  const std::unique_ptr<Storage> near_;
};

}  // namespace penstock::storage
