// How commands measure time.
#pragma once

#include <chrono>

namespace penstock::cli {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace penstock::cli
