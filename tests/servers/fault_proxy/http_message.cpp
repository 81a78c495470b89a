// Parses heads by their lines, and chunked bodies (RFC 9112, section 7.1) by their sizes.
#include "http_message.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace penstock::fault_proxy {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kContentLength = "content-length";

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (parsed.ec != std::errc() || parsed.ptr == text.data()) return std::nullopt;
  return number;
}

void read_field(std::string_view name, std::string_view value, Head& head) {
  if (equals_ignoring_case(name, kContentLength)) {
    head.content_length = parse_number(value, 10);
  } else if (equals_ignoring_case(name, "transfer-encoding")) {
    head.is_chunked = equals_ignoring_case(value, "chunked");
  } else if (equals_ignoring_case(name, "connection")) {
    head.closes_connection = equals_ignoring_case(value, "close");
  } else if (equals_ignoring_case(name, "expect")) {
    head.expects_continue = equals_ignoring_case(value, "100-continue");
  }
}

// Calls `visit(line)` for each line after the first, without its end.
template <typename Visit>
void for_each_field(std::string_view text, Visit visit) {
  std::size_t begin = text.find(kLineEnd) + kLineEnd.size();
  while (begin < text.size()) {
    const std::size_t end = text.find(kLineEnd, begin);
    if (end == begin || end == std::string_view::npos) return;
    visit(text.substr(begin, end - begin));
    begin = end + kLineEnd.size();
  }
}

}  // namespace

bool Head::has_method(std::string_view method) const {
  return text.size() > method.size() && text.starts_with(method) && text[method.size()] == ' ';
}

int Head::status() const {
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return 0;
  const auto rest = std::string_view(text).substr(space + 1, 3);
  return static_cast<int>(parse_number(rest, 10).value_or(0));
}

std::size_t head_size(std::string_view bytes) {
  const std::size_t end = bytes.find(kHeadEnd);
  return end == std::string_view::npos ? 0 : end + kHeadEnd.size();
}

Head parse_head(std::string_view text) {
  Head head{.text = std::string(text)};
  for_each_field(text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    read_field(line.substr(0, colon), trimmed(line.substr(colon + 1)), head);
  });
  return head;
}

std::string with_content_length(std::string_view text, std::uint64_t length) {
  std::string changed(text.substr(0, text.find(kLineEnd) + kLineEnd.size()));
  for_each_field(text, [&](std::string_view line) {
    if (equals_ignoring_case(line.substr(0, line.find(':')), kContentLength)) {
      changed.append("Content-Length: ").append(std::to_string(length));
    } else {
      changed.append(line);
    }
    changed.append(kLineEnd);
  });
  return changed.append(kLineEnd);
}

Body Body::of_request(const Head& request) {
  if (request.is_chunked) return Body(Kind::kChunkSize, 0);
  return Body(Kind::kSized, request.content_length.value_or(0));
}

Body Body::of_response(const Head& request, const Head& response) {
  const int status = response.status();
  if (request.has_method("HEAD") || status / 100 == 1 || status == 204 || status == 304) {
    return none();
  }
  if (response.is_chunked) return Body(Kind::kChunkSize, 0);
  if (response.content_length) return Body(Kind::kSized, *response.content_length);
  return Body(Kind::kUntilClose, 0);
}

std::optional<std::uint64_t> Body::left() const {
  return kind_ == Kind::kSized ? std::optional(left_) : std::nullopt;
}

std::size_t Body::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !is_done()) {
    const std::string_view rest = bytes.substr(taken);
    if (kind_ == Kind::kUntilClose) return bytes.size();
    if (kind_ == Kind::kChunkSize || kind_ == Kind::kTrailer) {
      taken += take_line(rest);
      continue;
    }
    const std::uint64_t part = std::min<std::uint64_t>(left_, rest.size());
    left_ -= part;
    taken += part;
    if (kind_ == Kind::kChunk && left_ == 0) kind_ = Kind::kChunkSize;
  }
  return taken;
}

std::size_t Body::take_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    line_.append(bytes);
    return bytes.size();
  }
  line_.append(bytes.substr(0, end));
  end_line();
  line_.clear();
  return end + 1;
}

void Body::end_line() {
  if (kind_ == Kind::kTrailer) {
    if (line_.empty() || line_ == "\r") *this = none();
    return;
  }
  const std::uint64_t size = parse_number(line_, 16).value_or(0);
  kind_ = size == 0 ? Kind::kTrailer : Kind::kChunk;
  left_ = size == 0 ? 0 : size + kLineEnd.size();
}

}  // namespace penstock::fault_proxy
