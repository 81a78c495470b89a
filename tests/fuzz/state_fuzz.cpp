// Parses arbitrary text as a state. What is accepted must come back from its own text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "penstock/pipeline/state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto state = penstock::pipeline::parse_state({reinterpret_cast<const char*>(data), size});
  if (!state.ok()) return state.status().message().empty() ? (std::abort(), 0) : 0;
  const auto again = penstock::pipeline::parse_state(penstock::pipeline::print_state(*state));
  if (!again.ok() || *again != *state) std::abort();
  return 0;
}
