// Validity of UTF-8.
#include "penstock/decode/utf8.h"

#include <cstdint>
#include <cstring>

namespace penstock::decode {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

// How many bytes from `at` on are ASCII, in whole words.
std::size_t ascii_run(Bytes bytes, std::size_t at) {
  std::size_t end = at;
  while (bytes.size() - end >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + end, sizeof word);
    if ((word & kHighBits) != 0) break;
    end += sizeof word;
  }
  return end - at;
}

// The well-formed sequences of the Unicode Standard, table 3-7: how long the sequence is, and what
// its second byte may be.
struct Lead {
  std::size_t length = 0;  // 0: no character begins so
  unsigned second_min = 0x80;
  unsigned second_max = 0xBF;
};

Lead lead_of(unsigned byte) {
  if (byte < 0x80) return {.length = 1};
  if (byte >= 0xC2 && byte <= 0xDF) return {.length = 2};
  if (byte == 0xE0) return {.length = 3, .second_min = 0xA0};
  if (byte == 0xED) return {.length = 3, .second_max = 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {.length = 3};
  if (byte == 0xF0) return {.length = 4, .second_min = 0x90};
  if (byte >= 0xF1 && byte <= 0xF3) return {.length = 4};
  if (byte == 0xF4) return {.length = 4, .second_max = 0x8F};
  return {};
}

// The length of the character that begins `bytes`; 0 if there is none.
std::size_t character_length(Bytes bytes) {
  const Lead lead = lead_of(std::to_integer<unsigned>(bytes[0]));
  if (lead.length > bytes.size()) return 0;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    const unsigned min = i == 1 ? lead.second_min : 0x80;
    const unsigned max = i == 1 ? lead.second_max : 0xBF;
    if (byte < min || byte > max) return 0;
  }
  return lead.length;
}

}  // namespace

Status check_utf8(Bytes bytes) {
  std::size_t at = 0;
  while (true) {
    at += ascii_run(bytes, at);
    if (at == bytes.size()) return {};
    const std::size_t length = character_length(bytes.subspan(at));
    if (length == 0) return corrupt("not UTF-8 at byte ", at);
    at += length;
  }
}

}  // namespace penstock::decode
