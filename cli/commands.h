// The commands of `penstock`. Each adds itself to the command line and runs when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

#include "penstock/base/status.h"

namespace penstock::cli {

// What a chosen command does.
using Action = std::function<Status()>;

struct Command {
  std::string_view name;
  std::string_view doc;
  // Adds options to `app` and returns what to do once they are parsed.
  Action (*define)(CLI::App& app);
};

std::span<const Command> commands();

Action define_bench(CLI::App& app);
Action define_explain(CLI::App& app);
Action define_index(CLI::App& app);
Action define_ladder(CLI::App& app);
Action define_ls(CLI::App& app);
Action define_plan(CLI::App& app);
Action define_serve(CLI::App& app);
Action define_simulate(CLI::App& app);
Action define_verify(CLI::App& app);

}  // namespace penstock::cli
