// Buckets and keys as requests.
#include "penstock/storage/s3/dialect.h"

#include <utility>

#include "penstock/storage/http/url.h"
#include "penstock/storage/remote/transfer.h"
#include "penstock/storage/s3/listing.h"
#include "penstock/storage/s3/multipart_writer.h"

namespace penstock::storage {
namespace {

// "Name: value" as signatures want it.
std::pair<std::string, std::string> split_header(std::string_view line) {
  const std::size_t colon = line.find(": ");
  std::string name(line.substr(0, colon));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return {std::move(name), std::string(line.substr(colon + 2))};
}

std::string payload_hash(Bytes body, bool is_encrypted) {
  if (body.empty()) return std::string(kEmptyPayloadHash);
  // TLS protects the bytes as well as a hash does.
  if (is_encrypted) return std::string(kUnsignedPayload);
  return sha256({reinterpret_cast<const char*>(body.data()), body.size()});
}

class S3Dialect final : public Dialect {
 public:
  S3Dialect(S3Settings settings, Authorize authorize)
      : settings_(std::move(settings)), authorize_(std::move(authorize)) {}

  Result<HttpRequest> request(const ObjectCall& call) const override {
    PENSTOCK_TRY_ASSIGN(const BucketAndKey name, split_bucket(call.path, settings_.scheme));
    return request_for(name, call);
  }

  // A bucket lies in another region than the one that was asked.
  bool learns_from(const ObjectCall& call, const HttpResponse& response) const override {
    const std::string_view region = response.header("x-amz-bucket-region");
    const auto name = split_bucket(call.path, settings_.scheme);
    if (region.empty() || !name.ok() || region == region_of(name->bucket)) return false;
    const std::scoped_lock lock(mutex_);
    regions_.insert_or_assign(std::string(name->bucket), std::string(region));
    return true;
  }

  Result<ListPage> list(const RemoteParts& parts, const ListCall& call) const override {
    PENSTOCK_TRY_ASSIGN(const BucketAndKey name, split_bucket(call.folder, settings_.scheme));
    std::string prefix(name.key);
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    ObjectCall list{.method = "GET",
                    .path = call.folder.substr(0, settings_.scheme.size() + 3 + name.bucket.size()),
                    .query = {{"list-type", "2"}, {"encoding-type", "url"}, {"prefix", prefix}}};
    if (!call.is_deep) list.query.emplace_back("delimiter", "/");
    if (!call.page.empty()) list.query.emplace_back("continuation-token", call.page);
    PENSTOCK_TRY_ASSIGN(const HttpResponse response, run_call(parts, std::move(list)));
    return parse_s3_listing(response.text, concat(settings_.scheme, "://", name.bucket, "/"),
                            prefix);
  }

  Result<std::unique_ptr<ObjectWriter>> create(const RemoteParts& parts,
                                               std::string_view path) const override {
    return make_multipart_writer(parts, path);
  }

 private:
  std::string region_of(std::string_view bucket) const {
    const std::scoped_lock lock(mutex_);
    const auto at = regions_.find(bucket);
    return at == regions_.end() ? settings_.region : at->second;
  }

  Result<HttpRequest> request_for(const BucketAndKey& name, const ObjectCall& call) const {
    const std::string region = region_of(name.bucket);
    std::string server = settings_.endpoint;
    constexpr std::string_view kRegion = "{region}";
    if (const std::size_t at = server.find(kRegion); at != std::string::npos) {
      server.replace(at, kRegion.size(), region);
    }
    const Url endpoint = parse_url(server);
    // A bucket with dots is no name that a certificate covers.
    const bool is_path_style =
        settings_.uses_path_style || name.bucket.find('.') != std::string_view::npos;
    const std::string host =
        is_path_style ? std::string(endpoint.host) : concat(name.bucket, ".", endpoint.host);
    const std::string path =
        is_path_style ? concat("/", name.bucket, "/", name.key) : concat("/", name.key);
    S3Call signed_call{.method = call.method,
                       .host = host,
                       .path = path,
                       .query = call.query,
                       .payload_hash = payload_hash(call.body, endpoint.scheme == "https")};
    for (const std::string& header : call.headers) {
      signed_call.headers.push_back(split_header(header));
    }
    if (settings_.asks_for_checksums && call.method == "GET" && !name.key.empty() &&
        call.query.empty()) {
      signed_call.headers.emplace_back("x-amz-checksum-mode", "ENABLED");
    }
    PENSTOCK_TRY_ASSIGN(std::vector<std::string> headers, authorize_(signed_call, region));
    const std::string query = canonical_query(call.query);
    return HttpRequest{.method = std::string(call.method),
                       .url = concat(endpoint.scheme, "://", host, escape_text(path, true),
                                     query.empty() ? "" : "?", query),
                       .headers = std::move(headers),
                       .body = call.body,
                       .follows_redirects = false};
  }

  const S3Settings settings_;
  const Authorize authorize_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string, std::less<>> regions_;  // of buckets, where learnt
};

}  // namespace

Result<BucketAndKey> split_bucket(std::string_view path, std::string_view scheme) {
  path.remove_prefix(scheme.size() + 3);
  const std::size_t slash = std::min(path.find('/'), path.size());
  const BucketAndKey name{path.substr(0, slash), path.substr(std::min(slash + 1, path.size()))};
  if (name.bucket.empty()) {
    return invalid_argument("no bucket, expected ", scheme, "://bucket/key");
  }
  return name;
}

std::unique_ptr<Dialect> make_s3_dialect(S3Settings settings, Authorize authorize) {
  return std::make_unique<S3Dialect>(std::move(settings), std::move(authorize));
}

}  // namespace penstock::storage
