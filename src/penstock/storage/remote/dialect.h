// How a kind of server is spoken to. RemoteStorage does the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/storage/http/client.h"
#include "penstock/storage/http/exchange.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// What is asked of a server about an object.
struct ObjectCall {
  std::string_view method;
  std::string_view path;  // as the user writes it: "s3://bucket/key"
  // Not escaped. An empty value is "name=".
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::string> headers;  // "Name: value"
  Bytes body;
};

// A part of a listing.
struct ListPage {
  std::vector<ObjectInfo> objects;  // with full paths
  std::vector<std::string> etags;   // of each object; empty if the server does not tell
  std::vector<std::string> folders;
  bool has_sizes = false;  // otherwise only the paths of objects are known
  std::string next;        // what the next page begins with; empty: this is the last one
};

struct RemoteParts;

struct ListCall {
  std::string_view folder;
  bool is_deep = true;  // everything below the folder; otherwise what lies directly in it
  std::string_view page;
};

// Safe from any thread. Statuses do not name the path.
class Dialect {
 public:
  virtual ~Dialect() = default;

  // Signed or otherwise made acceptable, at this moment; each attempt asks anew.
  virtual Result<HttpRequest> request(const ObjectCall& call) const = 0;

  // Not ok if an answer is not what it seems.
  virtual Status check(const ObjectCall&, const HttpResponse&) const { return {}; }

  // Whether something was learnt from a refusal (another region, keys that expired), so that the
  // same call may succeed now.
  virtual bool learns_from(const ObjectCall&, const HttpResponse&) const { return false; }

  // Longer ranges are fetched in parts of this size, side by side. Every request costs an object
  // store something.
  virtual std::size_t part_bytes() const { return 2 << 20; }

  virtual Result<ListPage> list(const RemoteParts& parts, const ListCall& call) const = 0;

  // Makes the bucket that an object is to lie in. kUnsupported where that is somebody else's work.
  virtual Status make_bucket(const RemoteParts&, std::string_view) const {
    return unsupported("this storage makes no buckets");
  }

  // A writer that sends while it is written to. Null: objects are sent in one request.
  virtual Result<std::unique_ptr<ObjectWriter>> create(const RemoteParts&, std::string_view) const {
    return std::unique_ptr<ObjectWriter>();
  }
};

}  // namespace penstock::storage
