// Hashing of bytes, eight at a time, in little-endian order whatever the machine.
#include "penstock/base/hash.h"

namespace penstock {
namespace {

std::uint64_t load_little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

}  // namespace

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::uint64_t hash = combine_hash(seed, bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = bytes.size() < 8 ? bytes.size() : 8;
    hash = combine_hash(hash, load_little_endian(bytes.first(length)));
    bytes = bytes.subspan(length);
  }
  return hash;
}

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  return hash_bytes(std::as_bytes(std::span(text)), seed);
}

}  // namespace penstock
