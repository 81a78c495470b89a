// Randomness that is keyed, not streamed: the same key gives the same numbers on any thread, in any
// order. Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <array>
#include <cstdint>

namespace penstock {

// One block of the Philox4x32-10 function.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

struct RngKey {
  std::uint64_t seed = 0;
  std::uint32_t epoch = 0;
  std::uint64_t sample = 0;
  std::uint16_t op = 0;  // place of the op in the Spec; each op draws from a stream of its own
};

// Cheap to copy; a copy goes on independently from the same place. Up to 2^18 draws a key.
class Rng {
 public:
  explicit Rng(const RngKey& key);

  std::uint32_t next_u32();
  // In [0, 1), 24 random bits.
  float uniform();
  // In [low, high).
  double uniform(double low, double high);
  // In [0, bound), without bias worth the name (bound is far below 2^32). bound > 0.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;  // how many of block_ are spent
};

}  // namespace penstock
