// Status: success, or a code and a line for a person.
#include "penstock/base/status.h"

#include <utility>

namespace penstock {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid_argument";
    case Code::kNotFound:
      return "not_found";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kIo:
      return "io";
    case Code::kNeedMoreBytes:
      return "need_more_bytes";
    case Code::kResourceExhausted:
      return "resource_exhausted";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal";
  }
  return "unknown";
}

Status::Status(Code code, std::string message)
    : failure_(std::make_shared<const Failure>(Failure{code, std::move(message)})) {}

Status Status::at(std::string_view where) const {
  if (ok()) return {};
  return {code(), concat(where, ": ", message())};
}

}  // namespace penstock
