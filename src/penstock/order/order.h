// Which sample comes when: pure arithmetic, no stored permutation. Specified in docs/order.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::order {

enum class Shuffle : std::uint8_t { kNone, kWindow, kGlobal };

struct OrderOptions {
  Shuffle shuffle = Shuffle::kNone;
  std::uint64_t window = 0;  // records, over all lanes; kWindow only
  std::uint32_t lanes = 64;  // kWindow only
  std::uint64_t seed = 0;
};

// One epoch's order. Cheap to copy less than once a batch; sample_at is O(log shards), allocates
// nothing, and is safe from any thread.
class EpochOrder;

enum class LastBatch : std::uint8_t { kDrop, kKeep, kWrap };

// How positions are dealt to ranks: global batch b is positions [bG, (b+1)G), G = batch_size *
// world.
struct BatchOptions {
  std::uint64_t batch_size = 1;  // of one rank
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
  LastBatch last = LastBatch::kDrop;
};

}  // namespace penstock::order
