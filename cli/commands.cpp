// The one list of commands.
#include "commands.h"

#include <array>

namespace penstock::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands = {
      Command{"bench", "Measure how fast a source is delivered as training batches", &define_bench},
      Command{"ls", "List the samples of a source", &define_ls},
  };
  return kCommands;
}

}  // namespace penstock::cli
