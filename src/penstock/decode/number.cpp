// A number written as text.
#include "penstock/decode/number.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace penstock::decode {
namespace {

template <class Number>
Result<Number> decode_number(Bytes bytes, std::string_view expected) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);

  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) return value;
  return corrupt("'", text.substr(0, 40), "' is not ", expected);
}

}  // namespace

Result<std::int64_t> decode_integer(Bytes bytes) {
  return decode_number<std::int64_t>(bytes, "a whole number");
}

Result<double> decode_real(Bytes bytes) { return decode_number<double>(bytes, "a number"); }

}  // namespace penstock::decode
