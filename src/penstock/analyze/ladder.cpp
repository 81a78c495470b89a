// Differences between rungs.
#include "penstock/analyze/ladder.h"

#include <algorithm>

namespace penstock::analyze {

double Ladder::share_of_bound(std::size_t rung) const {
  return rungs[rung].images_per_s / rungs[0].images_per_s;
}

std::optional<double> Ladder::change(std::size_t rung) const {
  if (!rungs[rung].against) return std::nullopt;
  return rungs[rung].images_per_s / rungs[*rungs[rung].against].images_per_s - 1;
}

Stalls split_stalls(double cold, double cached, double bound) {
  const double cold_s = 1 / cold;  // for one image
  const double cached_s = std::min(1 / cached, cold_s);
  const double bound_s = std::min(1 / bound, cached_s);
  return {.fetch = (cold_s - cached_s) / cold_s,
          .prepare = (cached_s - bound_s) / cold_s,
          .train = bound_s / cold_s};
}

}  // namespace penstock::analyze
