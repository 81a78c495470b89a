// A value, or why there is none. See status.h for the codes.
#pragma once

#include <cassert>
#include <string_view>
#include <utility>
#include <variant>

#include "penstock/base/status.h"

namespace penstock {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<1>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<0>, std::move(status)) {
    assert(!std::get<0>(state_).ok());
  }

  bool ok() const { return state_.index() == 1; }
  Status status() const { return ok() ? Status{} : std::get<0>(state_); }

  // Only of a Result that is ok().
  const T& value() const& { return std::get<1>(state_); }
  T& value() & { return std::get<1>(state_); }
  T&& value() && { return std::get<1>(std::move(state_)); }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  Result at(std::string_view where) && {
    return ok() ? std::move(*this) : Result(status().at(where));
  }

 private:
  std::variant<Status, T> state_;
};

inline Status status_of(const Status& status) { return status; }
template <class T>
Status status_of(const Result<T>& result) {
  return result.status();
}

}  // namespace penstock

#define PENSTOCK_CONCAT_INNER(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_INNER(a, b)

// Returns from the calling function if `expression` (a Status or a Result) is not ok.
#define PENSTOCK_TRY(expression)                                                       \
  do {                                                                                 \
    if (auto&& tried = (expression); !tried.ok()) return ::penstock::status_of(tried); \
  } while (false)

// PENSTOCK_TRY_ASSIGN(auto x, expression): declares x with the value, or returns the failure.
#define PENSTOCK_TRY_ASSIGN(declaration, ...) \
  PENSTOCK_TRY_ASSIGN_INNER(PENSTOCK_CONCAT(tried_, __LINE__), declaration, __VA_ARGS__)
#define PENSTOCK_TRY_ASSIGN_INNER(tried, declaration, ...) \
  auto tried = (__VA_ARGS__);                              \
  if (!tried.ok()) return ::penstock::status_of(tried);    \
  declaration = std::move(tried).value()
