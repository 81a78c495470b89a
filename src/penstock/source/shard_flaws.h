// What is broken in a shard, and which of its samples that costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/source/index.h"

namespace penstock::source {

// One place of a shard. Samples are numbered as in the index that is being built. Flaws that are
// too many to be listed (DamageList) need no message.
struct Flaw {
  std::uint64_t offset = 0;
  std::string message;
  std::string key;                    // that the flaw is about, if it is known
  std::optional<std::size_t> lost;    // this sample lacks a member
  std::optional<std::size_t> before;  // the flaw may have begun with a member of this one
  std::optional<std::size_t> after;   // the flaw may have ended with a member of this one
  bool is_certain = true;             // otherwise it is none unless it costs a sample
};

// Takes the samples that are not whole out of `index` and writes down the damages: one for each
// such sample, and one for each flaw that costs none. A sample beside a flaw is taken for whole
// unless a sample of the shard has the same fields and more, and none that lies elsewhere has just
// those.
void settle_flaws(const std::vector<Flaw>& flaws, ShardIndex& index);

}  // namespace penstock::source
