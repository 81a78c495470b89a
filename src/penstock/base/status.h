// What went wrong, as a value. The engine never throws.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/base/text.h"

namespace penstock {

enum class Code : std::uint8_t {
  kOk,
  kInvalidArgument,    // what was asked for makes no sense
  kNotFound,           // nothing there
  kCorrupt,            // the bytes are not what they claim to be
  kUnsupported,        // valid, but not read by this version
  kIo,                 // the outside world refused
  kNeedMoreBytes,      // the window ends before the thing does; call again with a longer one
  kResourceExhausted,  // a ceiling was reached
  kCancelled,          // the run was stopped
  kInternal,           // a bug
};

// "corrupt", "not_found", ...
std::string_view code_name(Code code);

// Success, or a code and one line for a person: lower case, what was found, what was expected.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  bool ok() const { return failure_ == nullptr; }
  Code code() const { return failure_ ? failure_->code : Code::kOk; }
  std::string_view message() const { return failure_ ? failure_->message : std::string_view{}; }

  // The same failure, seen from one layer up: "where: message". Success stays success.
  Status at(std::string_view where) const;

  friend bool operator==(const Status& a, const Status& b) {
    return a.code() == b.code() && a.message() == b.message();
  }

 private:
  struct Failure {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Failure> failure_;  // null is success, so that success costs nothing
};

template <class... Parts>
Status invalid_argument(const Parts&... parts) {
  return {Code::kInvalidArgument, concat(parts...)};
}
template <class... Parts>
Status not_found(const Parts&... parts) {
  return {Code::kNotFound, concat(parts...)};
}
template <class... Parts>
Status corrupt(const Parts&... parts) {
  return {Code::kCorrupt, concat(parts...)};
}
template <class... Parts>
Status unsupported(const Parts&... parts) {
  return {Code::kUnsupported, concat(parts...)};
}
template <class... Parts>
Status io_error(const Parts&... parts) {
  return {Code::kIo, concat(parts...)};
}
template <class... Parts>
Status need_more_bytes(const Parts&... parts) {
  return {Code::kNeedMoreBytes, concat(parts...)};
}
template <class... Parts>
Status resource_exhausted(const Parts&... parts) {
  return {Code::kResourceExhausted, concat(parts...)};
}
template <class... Parts>
Status cancelled(const Parts&... parts) {
  return {Code::kCancelled, concat(parts...)};
}
template <class... Parts>
Status internal_error(const Parts&... parts) {
  return {Code::kInternal, concat(parts...)};
}

}  // namespace penstock
