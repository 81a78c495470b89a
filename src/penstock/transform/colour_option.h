// What the options of colour ops have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "penstock/base/rng.h"
#include "penstock/base/status.h"

namespace penstock::transform {

inline Status check_amount(std::string_view name, double amount) {
  if (amount >= 0 && std::isfinite(amount)) return {};
  return invalid_argument(name, " is ", amount, ", expected a value of at least 0");
}

inline Status check_turns(std::string_view name, double turns) {
  if (turns >= 0 && turns <= 0.5) return {};
  return invalid_argument(name, " is ", turns, ", expected a value in [0, 0.5]");
}

inline double draw_factor(Rng& rng, double amount) {
  return rng.uniform(std::max(0.0, 1 - amount), 1 + amount);
}

}  // namespace penstock::transform
