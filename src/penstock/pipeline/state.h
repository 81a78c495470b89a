// Where a run has got to, as a small text that a checkpoint keeps. Batches behind it are made anew
// from it, whatever was prefetched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/pipeline/plan.h"

namespace penstock::pipeline {

struct State {
  std::uint32_t epoch = 0;
  // Of the epoch's global order, after the last batch that was handed over: the same on every rank,
  // whatever the batch and world size.
  std::uint64_t position = 0;
  std::uint64_t num_batches = 0;  // handed over since the first start
  std::uint64_t num_samples = 0;  // in them, on this rank
  std::uint64_t num_bad = 0;      // samples of this epoch that could not be read, on this rank

  // What decides which sample comes where, and with which pixels.
  std::uint64_t dataset_samples = 0;
  std::uint64_t dataset_fingerprint = 0;
  std::vector<std::pair<std::string, std::string>> spec;  // "seed" -> "7", "field jpg" -> a hash

  friend bool operator==(const State&, const State&) = default;
};

// The state at the beginning.
State initial_state(const Plan& plan);

// JSON.
std::string print_state(const State& state);
// Fails with kCorrupt or kUnsupported, naming what is wrong.
Result<State> parse_state(std::string_view text);

// Fails with kInvalidArgument unless the plan gives what the state promises, naming every part that
// differs.
Status check_state(const Plan& plan, const State& state);

}  // namespace penstock::pipeline
