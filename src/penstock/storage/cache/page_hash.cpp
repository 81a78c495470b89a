// Eight lanes that do not wait for each other, each folding 16 bytes into its state by one
// multiplication of 64 by 64 bits, as wyhash does.
#include "penstock/storage/cache/page_hash.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "penstock/base/hash.h"

namespace penstock::storage {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kLaneBytes = 16;
constexpr std::size_t kStripeBytes = kLanes * kLaneBytes;

constexpr auto kSecrets = [] {
  std::array<std::uint64_t, kLanes> secrets{};
  for (std::size_t i = 0; i < kLanes; ++i) secrets[i] = combine_hash(i, 0x70656e73746f636bull);
  return secrets;
}();

std::uint64_t load(const std::byte* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::uint64_t page_hash(Bytes bytes) {
  // Other numbers than the secrets, or the two words of the first 16 bytes could change places.
  std::array<std::uint64_t, kLanes> lanes{};
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = ~kSecrets[i];
  const std::size_t size = bytes.size();
  for (; bytes.size() >= kStripeBytes; bytes = bytes.subspan(kStripeBytes)) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::byte* from = bytes.data() + i * kLaneBytes;
      lanes[i] = fold(lanes[i] ^ load(from), load(from + 8) ^ kSecrets[i]);
    }
  }
  std::uint64_t hash = size;
  for (const std::uint64_t lane : lanes) hash = combine_hash(hash, lane);
  return hash_bytes(bytes, hash);
}

}  // namespace penstock::storage
