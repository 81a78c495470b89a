// The figures of the page, as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "penstock/deliver/run.h"
#include "penstock/serve/thumbnails.h"

namespace penstock::serve {

// What the page is told.
struct LiveView {
  std::uint64_t run = 0;                 // counts runs; 0: none began
  deliver::RunStats begin;               // what `end` is compared with to know the rates of now
  std::optional<deliver::RunStats> end;  // now; nullopt: no run began
  std::optional<double> idle_s;          // since a batch was handed over
  const Thumbnails& samples;
  std::uint64_t samples_version = 0;  // other pictures have another one
};

std::string print_live(const LiveView& view);

}  // namespace penstock::serve
