// A stable 64-bit hash: the same on every machine and in every version, so it may be stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock {

// A bijection of 64 bits that spreads every input bit over every output bit (SplitMix64's
// finaliser).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Folds `value` into `hash`; the order of calls matters.
constexpr std::uint64_t combine_hash(std::uint64_t hash, std::uint64_t value) {
  return mix_bits(hash + 0x9e3779b97f4a7c15ull + mix_bits(value));
}

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0);
std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0);

}  // namespace penstock
