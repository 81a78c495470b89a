// Philox4x32-10 and the few distributions that ops need.
#include "penstock/base/rng.h"

namespace penstock {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Rng::Rng(const RngKey& key)
    : key_{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)},
      counter_{static_cast<std::uint32_t>(key.sample), static_cast<std::uint32_t>(key.sample >> 32),
               key.epoch, static_cast<std::uint32_t>(key.op) << 16} {}

std::uint32_t Rng::next_u32() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    ++counter_[3];
    used_ = 0;
  }
  return block_[used_++];
}

float Rng::uniform() { return static_cast<float>(next_u32() >> 8) * 0x1p-24f; }

double Rng::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next_u32()) * 0x1p-32);
}

std::uint32_t Rng::below(std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{next_u32()} * bound) >> 32);
}

}  // namespace penstock
