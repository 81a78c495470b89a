// As much of HTTP/1.1 (RFC 9112) as tells where a message begins and where it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::fault_proxy {

// The part of a message before its body, with what it says about the body.
struct Head {
  std::string text;  // up to and with the empty line
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
  bool closes_connection = false;
  bool expects_continue = false;

  // Of a request.
  bool has_method(std::string_view method) const;

  // Of a response; 0 if there is none.
  int status() const;
};

// Bytes up to the end of the head that `bytes` begin with; 0 if it is not all there.
std::size_t head_size(std::string_view bytes);

Head parse_head(std::string_view text);

// The text of a head with another Content-Length.
std::string with_content_length(std::string_view text, std::uint64_t length);

// Finds the end of a body as its bytes pass.
class Body {
 public:
  static Body none() { return Body(Kind::kSized, 0); }
  static Body of_request(const Head& request);
  static Body of_response(const Head& request, const Head& response);

  // How many of these bytes belong to the body; the next call goes on after them.
  std::size_t take(std::string_view bytes);

  // For a body whose length is known: bytes that are still to come.
  std::optional<std::uint64_t> left() const;

  // Goes on after that many of them, which nobody looked at.
  void skip(std::uint64_t bytes) { left_ -= bytes; }

  bool ends_with_connection() const { return kind_ == Kind::kUntilClose; }
  bool is_done() const { return kind_ == Kind::kSized && left_ == 0; }

 private:
  enum class Kind { kSized, kUntilClose, kChunkSize, kChunk, kTrailer };

  Body(Kind kind, std::uint64_t left) : kind_(kind), left_(left) {}

  std::size_t take_line(std::string_view bytes);
  void end_line();

  Kind kind_;
  std::uint64_t left_;  // of the body, or of the chunk with the line end after it
  std::string line_;    // what is there of a chunk's size or a trailer
};

}  // namespace penstock::fault_proxy
