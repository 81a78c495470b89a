// Status lines, headers and bodies.
#include "penstock/storage/http/answer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace penstock::storage {
namespace {

constexpr std::size_t kMaxText = 8 << 20;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 'a' - 'A');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// "HTTP/1.1 206 Partial Content": 206.
int code_of(std::string_view status_line) {
  int code = 0;
  const std::size_t space = std::min(status_line.find(' '), status_line.size() - 1);
  std::from_chars(status_line.data() + space + 1, status_line.data() + status_line.size(), code);
  return code;
}

}  // namespace

void Answer::begin(Clock::time_point now) {
  begin_at_ = last_progress_ = now;
  response_ = {};
  num_to_skip_ = 0;
  is_full_ = false;
}

void Answer::take_status_line(std::string_view line) {
  last_progress_ = Clock::now();
  response_.code = code_of(line);
  response_.headers.clear();
  response_.text.clear();
  response_.first_byte = last_progress_ - begin_at_;
  num_to_skip_ = response_.code == 200 ? request_.range_begin.value_or(0) : 0;
}

void Answer::take_header(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  response_.headers.emplace_back(lower_case(trimmed(line.substr(0, colon))),
                                 trimmed(line.substr(colon + 1)));
}

bool Answer::fills_out() const {
  return response_.is_content() && !request_.out.empty() && num_to_skip_ == 0;
}

void Answer::count_received(std::size_t num_bytes) {
  last_progress_ = Clock::now();
  response_.num_received += num_bytes;
}

bool Answer::take_body(std::string_view bytes) {
  if (!response_.is_content() || request_.out.empty()) {
    last_progress_ = Clock::now();
    response_.text.append(bytes.substr(0, kMaxText - response_.text.size()));
    return true;
  }
  const std::size_t num_skipped = std::min<std::uint64_t>(num_to_skip_, bytes.size());
  num_to_skip_ -= num_skipped;
  bytes.remove_prefix(num_skipped);
  const std::size_t num_taken = std::min(room().size(), bytes.size());
  if (num_taken > 0) std::memcpy(room().data(), bytes.data(), num_taken);
  count_received(num_taken);
  is_full_ = num_taken < bytes.size();
  return !is_full_;
}

}  // namespace penstock::storage
