// A keyed bijection of [0, n) that needs no table. Specified in docs/order.md, section 2.
#pragma once

#include <bit>
#include <cstdint>

#include "penstock/base/hash.h"

namespace penstock::order {

// A hash, spread evenly over [0, bound): its share of 2^64, rounded down.
constexpr std::uint64_t scale_hash(std::uint64_t hash, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{hash} * bound) >> 64);
}

// `permute` with a chosen number of rounds, which is even; permute_bench.cpp compares them.
//
// An alternating Feistel network over [0, high_size) x [0, low_size), which is larger than n by
// less than low_size <= sqrt(n); an answer beyond n is sent through again (cycle walking), which is
// rare.
constexpr std::uint64_t permute_in_rounds(std::uint64_t index, std::uint64_t n, std::uint64_t key,
                                          int rounds) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ull;
  const int low_bits = std::bit_width(n - 1) / 2;
  const std::uint64_t low_size = std::uint64_t{1} << low_bits;
  const std::uint64_t high_size = ((n - 1) >> low_bits) + 1;
  do {
    std::uint64_t low = index & (low_size - 1);
    std::uint64_t high = index >> low_bits;
    std::uint64_t round_key = key;
    for (int round = 0; round < rounds; round += 2) {
      low = (low + scale_hash(mix_bits(round_key + high), low_size)) & (low_size - 1);
      round_key += kStep;
      high += scale_hash(mix_bits(round_key + low), high_size);
      high = high < high_size ? high : high - high_size;
      round_key += kStep;
    }
    index = high << low_bits | low;
  } while (index >= n);
  return index;
}

// Where `index` goes among n places. Needs index < n <= 2^62.
//
// Small sets need more rounds, because their halves have few values; docs/order.md has the figures.
constexpr std::uint64_t permute(std::uint64_t index, std::uint64_t n, std::uint64_t key) {
  return permute_in_rounds(index, n, key, n < 64 ? 24 : 8);
}

}  // namespace penstock::order
