// A trainer that says how fast it is.
#pragma once

#include <string>

#include "penstock/base/result.h"

namespace penstock::cli {

// Runs `command` in a shell and returns the last number that it prints, which must be above 0.
Result<double> run_train_command(const std::string& command);

}  // namespace penstock::cli
