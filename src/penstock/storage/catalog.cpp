// The list of storages. A new one is added here.
#include "penstock/storage/catalog.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "penstock/storage/remote/environment.h"
#include "penstock/storage/remote/remote_storage.h"

namespace penstock::storage {
namespace {

constexpr std::string_view kSeparator = "://";
constexpr std::string_view kPipe = "pipe";

std::unique_ptr<Storage> make_local() { return make_local_storage(); }

constexpr SchemeDef kSchemes[] = {
    {.scheme = "", .make_local = make_local},
    {.scheme = "file", .make_local = make_local},
    {.scheme = kPipe, .make_local = make_pipe_storage},
    {.scheme = "http", .make_remote = make_http_storage},
    {.scheme = "https", .make_remote = make_http_storage},
    {.scheme = "s3", .make_remote = make_s3_storage},
    {.scheme = "gs", .make_remote = make_gs_storage},
    {.scheme = "ais", .make_remote = make_ais_storage},
};

bool is_scheme_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

// Empty if the url is a plain path; paths may hold "://" too, behind something that is no scheme.
// "pipe" of "pipe:command" and of "-".
std::string_view scheme_of(std::string_view url) {
  if (url.starts_with("pipe:") || url == "-") return kPipe;
  const std::size_t end = url.find(kSeparator);
  if (end == std::string_view::npos) return {};
  const std::string_view scheme = url.substr(0, end);
  return std::ranges::all_of(scheme, is_scheme_character) ? scheme : std::string_view{};
}

// A storage, and what its paths lack of the url.
struct Backend {
  std::unique_ptr<Storage> storage;
  std::string prefix;

  std::string_view inner(std::string_view path) const { return path.substr(prefix.size()); }
};

class UrlStorage final : public Storage {
 public:
  explicit UrlStorage(const std::stop_token& stop) : stop_(stop) {}

  void read(std::span<ReadRequest> requests, const std::stop_token& stop) const override {
    for (std::size_t begin = 0; begin < requests.size();) {
      const std::string_view scheme = scheme_of(requests[begin].path);
      std::size_t end = begin + 1;
      while (end < requests.size() && scheme_of(requests[end].path) == scheme) ++end;
      read_from(scheme, requests.subspan(begin, end - begin), stop);
      begin = end;
    }
  }

  bool is_remote(std::string_view path) const override {
    const auto backend = find_backend(scheme_of(path));
    return backend.ok() && (*backend)->storage->is_remote(path);
  }

  Result<ObjectInfo> stat(std::string_view path) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(path));
    PENSTOCK_TRY_ASSIGN(ObjectInfo info, backend->storage->stat(backend->inner(path)));
    info.path.insert(0, backend->prefix);
    return info;
  }

  std::vector<Result<ObjectInfo>> stat_all(std::span<const std::string> paths) const override {
    std::vector<Result<ObjectInfo>> found;
    for (std::size_t begin = 0; begin < paths.size();) {
      const std::string_view scheme = scheme_of(paths[begin]);
      std::size_t end = begin + 1;
      while (end < paths.size() && scheme_of(paths[end]) == scheme) ++end;
      const auto own = paths.subspan(begin, end - begin);
      const auto backend = find_backend(scheme);
      // What has a prefix is local.
      const bool is_whole = backend.ok() && (*backend)->prefix.empty();
      std::ranges::move(is_whole ? (*backend)->storage->stat_all(own) : Storage::stat_all(own),
                        std::back_inserter(found));
      begin = end;
    }
    return found;
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(folder));
    PENSTOCK_TRY_ASSIGN(auto objects, backend->storage->list(backend->inner(folder)));
    for (ObjectInfo& object : objects) object.path.insert(0, backend->prefix);
    return objects;
  }

  Result<FolderListing> list_folder(std::string_view folder) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(folder));
    PENSTOCK_TRY_ASSIGN(auto listing, backend->storage->list_folder(backend->inner(folder)));
    for (ObjectInfo& object : listing.objects) object.path.insert(0, backend->prefix);
    for (std::string& inner : listing.folders) inner.insert(0, backend->prefix);
    return listing;
  }

  Result<std::int64_t> folder_modified_ns(std::string_view folder) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(folder));
    return backend->storage->folder_modified_ns(backend->inner(folder));
  }

  Status write(std::string_view path, Bytes bytes) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(path));
    return backend->storage->write(backend->inner(path), bytes);
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(path));
    return backend->storage->create(backend->inner(path));
  }

  Status remove(std::string_view path) const override {
    PENSTOCK_TRY_ASSIGN(const Backend* backend, backend_of(path));
    return backend->storage->remove(backend->inner(path));
  }

 private:
  // All of one scheme.
  void read_from(std::string_view scheme, std::span<ReadRequest> requests,
                 const std::stop_token& stop) const {
    const auto backend = find_backend(scheme);
    if (!backend.ok()) {
      for (ReadRequest& request : requests) request.status = backend.status();
      return;
    }
    const Backend& from = **backend;
    for (ReadRequest& request : requests) request.path = from.inner(request.path);
    from.storage->read(requests, stop);
    for (ReadRequest& request : requests) {
      request.path = {request.path.data() - from.prefix.size(),
                      request.path.size() + from.prefix.size()};
    }
  }

  Result<const Backend*> backend_of(std::string_view path) const {
    return find_backend(scheme_of(path)).at(path);
  }

  Result<const Backend*> find_backend(std::string_view scheme) const {
    const std::scoped_lock lock(mutex_);
    if (const auto at = backends_.find(scheme); at != backends_.end()) return &at->second;
    const auto* def = std::ranges::find(kSchemes, scheme, &SchemeDef::scheme);
    if (def == std::end(kSchemes)) return unknown(scheme);
    PENSTOCK_TRY_ASSIGN(Backend backend, make_backend(*def));
    return &backends_.emplace(scheme, std::move(backend)).first->second;
  }

  Result<Backend> make_backend(const SchemeDef& def) const {
    if (def.make_local != nullptr) {
      const bool has_prefix = !def.scheme.empty() && def.scheme != kPipe;
      return Backend{def.make_local(), has_prefix ? concat(def.scheme, kSeparator) : ""};
    }
    if (context_.client == nullptr) {
      PENSTOCK_TRY_ASSIGN(context_.options, remote_options_of_environment());
      HttpClientOptions options = client_options_of_environment();
      options.stop = stop_;
      PENSTOCK_TRY_ASSIGN(context_.client, HttpClient::make(options));
    }
    PENSTOCK_TRY_ASSIGN(auto storage, def.make_remote(context_));
    return Backend{std::move(storage), ""};
  }

  static Status unknown(std::string_view scheme) {
    std::string known = "a plain path";
    for (const SchemeDef& def : kSchemes) {
      if (def.scheme == kPipe) {
        known += ", pipe:command, -";
      } else if (!def.scheme.empty()) {
        known += concat(", ", def.scheme, kSeparator);
      }
    }
    return unsupported("no storage for ", scheme, kSeparator, ", expected one of: ", known);
  }

  const std::stop_token stop_;
  mutable std::mutex mutex_;
  mutable RemoteContext context_;
  mutable std::map<std::string, Backend, std::less<>> backends_;  // by scheme; addresses stay
};

}  // namespace

std::span<const SchemeDef> schemes() { return kSchemes; }

std::unique_ptr<Storage> make_storage(const std::stop_token& stop) {
  return std::make_unique<UrlStorage>(stop);
}

}  // namespace penstock::storage
