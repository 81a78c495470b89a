// What limits a run, and what would make it faster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "penstock/deliver/run.h"
#include "penstock/deliver/snapshot.h"

namespace penstock::analyze {

// What is known of a run beside what it counted.
struct RunFacts {
  int cores = 1;          // that the process may use
  int machine_cores = 1;  // that there are
  int max_threads = 0;    // that the run would use if it had use for them
  bool reads_storage = true;
  double sample_bytes = 0;        // in a batch
  double memory_bytes_per_s = 0;  // 0 if not known
};

// One link of the chain that samples pass through, from storage to trainer.
struct Link {
  std::string_view name;
  double capacity = 0;  // samples a second that it could pass; infinite if nothing was seen of it
  double busy = 0;      // share of that which is used
};

// What one change would give.
struct Change {
  std::string what;  // "2 more cores"
  double rate = 0;   // samples a second
  double gain = 0;   // over the present rate, as a share
};

struct Verdict {
  std::string sentence;
  // "storage", "read", "decode", "transform", "threads", "prefetch", "memory", "map", "trainer";
  // empty if nothing was delivered yet.
  std::string_view limit;
  double rate = 0;      // samples a second that the trainer took
  double possible = 0;  // without the limit
  std::vector<Link> links;
  std::vector<Change> changes;  // the best first
  std::vector<std::string> unknown;
};

// `passed` is what happened between two moments. The chain of links is a flow network without
// branches, so its least cut is its weakest link; cores are a link of their own, because readers,
// workers and trainer share them.
Verdict verdict(const deliver::Snapshot& passed, const RunFacts& facts);

// What happened in the last so many seconds of a history that ends with `now`; the first second of
// a run is left out if there is more.
deliver::Snapshot recent(const std::vector<deliver::Snapshot>& history,
                         const deliver::Snapshot& now, double seconds);

RunFacts facts_of(const deliver::Run& run);

// Of the last so many seconds of a run.
Verdict verdict_of(const deliver::Run& run, double seconds = 10);

// For a person, in at most 80 columns.
std::string print(const Verdict& verdict);

}  // namespace penstock::analyze
