// What all servers have in common: ranges in parallel, listings page by page, writes that are tried
// again.
#include "penstock/storage/remote/remote_storage.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/storage/http/numbers.h"
#include "penstock/storage/remote/http_date.h"
#include "penstock/storage/remote/spooled_writer.h"

namespace penstock::storage {
namespace {

// Waits for many things that end in the client's thread.
class Countdown {
 public:
  explicit Countdown(std::size_t count) : count_(count) {}

  // `note` is called first; no two at once.
  template <class Note>
  void end_one(Note note) {
    const std::scoped_lock lock(mutex_);
    note();
    if (--count_ == 0) all_ended_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    all_ended_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::size_t count_;
};

std::size_t num_parts(const ReadRequest& request, std::size_t part_bytes) {
  return (request.out.size() + part_bytes - 1) / part_bytes;
}

std::uint64_t version_of(std::string_view etag) { return etag.empty() ? 0 : hash_text(etag); }

class RemoteStorage final : public Storage {
 public:
  RemoteStorage(std::unique_ptr<Dialect> dialect, std::shared_ptr<HttpClient> client,
                const RemoteOptions& options)
      : dialect_(std::move(dialect)), client_(std::move(client)), options_(options) {
    if (options.hedge_percent > 0) hedging_.emplace(options.hedge_percent);
  }

  void read(std::span<ReadRequest> requests, const std::stop_token& stop) const override {
    std::size_t count = 0;
    const std::size_t part_bytes = dialect_->part_bytes();
    for (const ReadRequest& request : requests) count += num_parts(request, part_bytes);
    const auto countdown = std::make_shared<Countdown>(count);
    for (ReadRequest& request : requests) {
      request.status = {};
      if (request.out.empty()) request.status = stat_unnamed(request.path).status();
      for (std::size_t begin = 0; begin < request.out.size(); begin += part_bytes) {
        const std::size_t size = std::min(part_bytes, request.out.size() - begin);
        start_transfer(parts(),
                       {.path = std::string(request.path),
                        .offset = request.offset + begin,
                        .out = request.out.subspan(begin, size),
                        .stop = stop},
                       [countdown, &request](Status status) {
                         countdown->end_one([&] {
                           if (request.status.ok()) request.status = std::move(status);
                         });
                       });
      }
    }
    countdown->wait();
  }

  bool is_remote(std::string_view) const override { return true; }

  Result<ObjectInfo> stat(std::string_view path) const override {
    return stat_unnamed(path).at(path);
  }

  std::vector<Result<ObjectInfo>> stat_all(std::span<const std::string> paths) const override {
    const auto countdown = std::make_shared<Countdown>(paths.size());
    std::vector<Result<ObjectInfo>> found(paths.size(), cancelled("not asked"));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      start_call(parts(), {.method = "HEAD", .path = paths[i]}, {},
                 [&, i, countdown](const Result<HttpResponse>& response) {
                   countdown->end_one([&] {
                     found[i] = response.ok() ? info_of(paths[i], *response)
                                              : Result<ObjectInfo>(response.status());
                     if (!found[i].ok()) found[i] = found[i].status().at(paths[i]);
                   });
                 });
    }
    countdown->wait();
    return found;
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    PENSTOCK_TRY_ASSIGN(FolderListing listing, list_pages(folder, true));
    return std::move(listing.objects);
  }

  Result<FolderListing> list_folder(std::string_view folder) const override {
    return list_pages(folder, false);
  }

  Status write(std::string_view path, Bytes bytes) const override {
    return put(path, bytes).at(path);
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    auto writer = dialect_->create(parts(), path);
    if (!writer.ok()) return writer.status().at(path);
    if (*writer != nullptr) return writer;
    return make_spooled_writer(
        [this, name = std::string(path)](Bytes bytes) { return write(name, bytes); });
  }

  Status remove(std::string_view path) const override {
    // Object stores do not say whether there was anything to remove.
    PENSTOCK_TRY(stat(path));
    return run_call(parts(), {.method = "DELETE", .path = path}).status().at(path);
  }

 private:
  RemoteParts parts() const {
    return {*dialect_, *client_, versions_, options_, hedging_ ? &*hedging_ : nullptr};
  }

  Result<ObjectInfo> stat_unnamed(std::string_view path) const {
    PENSTOCK_TRY_ASSIGN(const HttpResponse response,
                        run_call(parts(), {.method = "HEAD", .path = path}));
    return info_of(path, response);
  }

  Result<ObjectInfo> info_of(std::string_view path, const HttpResponse& response) const {
    versions_.renew(path, version_text(response));
    auto size_bytes = parse_number(response.header("content-length"));
    // AIStore says nothing of objects that are empty.
    if (!size_bytes && !response.header("ais-version").empty()) size_bytes = 0;
    if (!size_bytes) return unsupported("the server does not say how long it is");
    return ObjectInfo{std::string(path), *size_bytes,
                      parse_http_date(response.header("last-modified")),
                      version_of(content_version(response))};
  }

  Status add_sizes(std::vector<ObjectInfo>& objects) const {
    std::vector<std::string> paths;
    paths.reserve(objects.size());
    for (const ObjectInfo& object : objects) paths.push_back(object.path);
    std::vector<Result<ObjectInfo>> found = stat_all(paths);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      PENSTOCK_TRY_ASSIGN(objects[i], std::move(found[i]));
    }
    return {};
  }

  Result<FolderListing> list_pages(std::string_view folder, bool is_deep) const {
    FolderListing listing;
    std::string page;
    do {
      auto part = dialect_->list(parts(), {folder, is_deep, page});
      if (!part.ok()) return part.status().at(folder);
      for (std::size_t i = 0; i < part->etags.size(); ++i) {
        versions_.renew(part->objects[i].path, part->etags[i]);
        part->objects[i].version = version_of(part->etags[i]);
      }
      if (!part->has_sizes) PENSTOCK_TRY(add_sizes(part->objects));
      std::ranges::move(part->objects, std::back_inserter(listing.objects));
      std::ranges::move(part->folders, std::back_inserter(listing.folders));
      page = std::move(part->next);
    } while (!page.empty());
    if (listing.objects.empty() && listing.folders.empty()) {
      return not_found("no objects below it").at(folder);
    }
    std::ranges::sort(listing.objects, {}, &ObjectInfo::path);
    std::ranges::sort(listing.folders);
    // A page may begin inside a folder that another one named.
    const auto repeated = std::ranges::unique(listing.folders);
    listing.folders.erase(repeated.begin(), repeated.end());
    return listing;
  }

  Status put(std::string_view path, Bytes bytes) const {
    const ObjectCall call{.method = "PUT", .path = path, .body = bytes};
    auto response = run_call(parts(), call);
    if (response.status().code() == Code::kNotFound && dialect_->make_bucket(parts(), path).ok()) {
      response = run_call(parts(), call);
    }
    PENSTOCK_TRY(response.status());
    // An answer to PUT tells no time.
    versions_.renew(path, response->header("etag"));
    return {};
  }

  const std::unique_ptr<Dialect> dialect_;
  const std::shared_ptr<HttpClient> client_;
  const RemoteOptions options_;
  mutable ObjectVersions versions_;
  mutable std::optional<Hedging> hedging_;
};

}  // namespace

std::unique_ptr<Storage> make_remote_storage(std::unique_ptr<Dialect> dialect,
                                             std::shared_ptr<HttpClient> client,
                                             const RemoteOptions& options) {
  return std::make_unique<RemoteStorage>(std::move(dialect), std::move(client), options);
}

}  // namespace penstock::storage
