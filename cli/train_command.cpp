// A trainer that says how fast it is.
#include "train_command.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

namespace penstock::cli {
namespace {

std::optional<double> last_number(const std::string& text) {
  std::optional<double> last;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) {
      ++at;
      continue;
    }
    last = value;
    at = end;
  }
  return last;
}

}  // namespace

Result<double> run_train_command(const std::string& command) {
  // The shell is what the user asked for: it is their command line.
  std::FILE* pipe =
      ::popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor,cert-env33-c)
  if (pipe == nullptr) return io_error("cannot run ", command);
  std::string printed;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    printed.append(buffer.data(), count);
  }
  if (const int code = ::pclose(pipe); code != 0) {
    return io_error("the train command ended with ", code >> 8, ": ", command);
  }
  const auto rate = last_number(printed);
  if (!rate || !(*rate > 0)) {
    return invalid_argument("the train command printed no rate, expected images/s as last number");
  }
  return *rate;
}

}  // namespace penstock::cli
