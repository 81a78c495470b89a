// The one list of commands.
#include "commands.h"

#include <array>

namespace penstock::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands = {
      Command{"bench", "Measure how fast a source is delivered as training batches", &define_bench},
      Command{"explain", "Say what limits a source, or a trainer by its log", &define_explain},
      Command{"index", "Build the index of a source, and entry points of its images",
              &define_index},
      Command{"ladder", "Measure a job with one thing changed at a time, and name each cause",
              &define_ladder},
      Command{"ls", "List the samples of a source", &define_ls},
      Command{"plan", "Say how many drives, cores and network cards feed so many accelerators",
              &define_plan},
      Command{"serve", "Show on a page in the browser how a source is delivered", &define_serve},
      Command{"simulate", "Simulate the life of a batch: who waits for whom, and how long",
              &define_simulate},
      Command{"verify", "Read and decode everything, and say what is bad", &define_verify},
  };
  return kCommands;
}

}  // namespace penstock::cli
