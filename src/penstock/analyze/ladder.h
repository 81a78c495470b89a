// The ladder: one job measured with one thing changed at a time, so that each difference has a
// cause.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::analyze {

struct Rung {
  std::string group;  // rungs of one question
  std::string name;
  double images_per_s = 0;
  std::optional<std::size_t> against;  // the rung that differs in one thing
  std::string cause;                   // that thing
};

struct Ladder {
  std::vector<Rung> rungs;  // the first is the upper bound

  double share_of_bound(std::size_t rung) const;
  // Of the rate of the rung it is compared with: -0.5 is half as fast. nullopt if with none.
  std::optional<double> change(std::size_t rung) const;
};

// Where the time of a run from cold storage goes (Mohan et al., "Analyzing and Mitigating Data
// Stalls in DNN Training", 2021): shares that sum to 1.
struct Stalls {
  double fetch = 0;    // storage was slower than what is in memory
  double prepare = 0;  // decoding and transforming took longer than the trainer
  double train = 1;    // the rest: the upper bound
};
// From rates in images/s. Differences in the wrong direction are noise and count as none.
Stalls split_stalls(double cold, double cached, double bound);

}  // namespace penstock::analyze
