// What the proxy is asked to do, and which request gets which fault.
#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::fault_proxy {

enum class Fault : std::uint8_t {
  kReset,
  kStall,
  k503,
  k429,
  k500,
  kTruncate,
  kWrongLength,
  kDrip,
  kCorrupt,
  kNone,
};

inline constexpr std::size_t kNumFaults = static_cast<std::size_t>(Fault::kNone);
inline constexpr std::array<std::string_view, kNumFaults> kFaultNames = {
    "reset", "stall", "503", "429", "500", "truncate", "wrong-length", "drip", "corrupt"};

struct Options {
  sockaddr_in upstream{};
  std::uint16_t port = 0;  // to listen on; 0 lets the system choose
  double latency_ms = 0;
  double rate = 0;  // bytes a second of all responses together; 0 for no limit
  std::uint64_t seed = 0;
  double stall_s = 10;
  double drip_rate = 1000;   // bytes a second
  double retry_after_s = 0;  // of 503 and 429; 0 for no such header
  std::array<double, kNumFaults> shares{};
};

// What happens to one request. Depends on the seed and the request's number only.
struct Draw {
  Fault fault = Fault::kNone;
  std::uint64_t where = 0;     // random: chooses the place in the body
  bool is_first_kind = false;  // of a fault that has two kinds
};

// Ends the program with a message if the arguments are wrong.
Options parse_options(int count, char** arguments);

Draw draw_fault(const Options& options, std::uint64_t request);

}  // namespace penstock::fault_proxy
