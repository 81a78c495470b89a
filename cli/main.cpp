// The command `penstock`: finds the command, runs it, turns a Status into one line and an exit
// code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "commands.h"

namespace {

// Exit codes, beside 0 for success.
constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

int run(int argc, char** argv) {
  CLI::App app{"penstock feeds training: from files and shards to batches, and what limits them."};
  app.name("penstock");
  app.set_version_flag("--version", PENSTOCK_VERSION);
  app.require_subcommand(1);

  penstock::cli::Action chosen;
  std::vector<penstock::cli::Action> actions;
  actions.reserve(penstock::cli::commands().size());
  for (const auto& command : penstock::cli::commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.doc));
    actions.push_back(command.define(*sub));
    sub->callback([&chosen, &action = actions.back()] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUse;
  }

  const penstock::Status status = chosen();
  if (status.ok()) return 0;
  fmt::print(stderr, "penstock: {}\n", status.message());
  return status.code() == penstock::Code::kInvalidArgument ? kWrongUse : kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // The engine throws nothing; what arrives here is the end of memory, or a bug.
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "penstock: %s\n", error.what());
    return kFailed;
  }
}
