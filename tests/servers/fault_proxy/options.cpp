// The command line, and the drawing of faults.
#include "options.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace penstock::fault_proxy {
namespace {

constexpr const char* kUsage =
    "usage: fault_proxy --upstream ADDRESS:PORT [--listen PORT] [--latency-ms N] [--rate BYTES/S]\n"
    "  [--seed N] [--stall-s N] [--drip-rate BYTES/S] [--retry-after SECONDS]\n"
    "  and shares of the requests, each in [0, 1], together at most 1: [--reset X] [--stall X]\n"
    "  [--503 X] [--429 X] [--500 X] [--truncate X] [--wrong-length X] [--drip X] [--corrupt X]\n"
    "SIGUSR1: away, closes everything and refuses connections; SIGUSR2: back\n"
    "SIGTERM: prints what happened as JSON and ends\n";

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "fault_proxy: %s\n%s", message.c_str(), kUsage);
  std::exit(2);
}

double parse_number(const std::string& name, const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (end == value.c_str() || *end != '\0' || !(number >= 0)) {
    fail(name + " is '" + value + "', expected a number not below 0");
  }
  return number;
}

std::uint16_t parse_port(const std::string& name, const std::string& value) {
  const double port = parse_number(name, value);
  if (port > 65535) fail(name + " is '" + value + "', expected a port");
  return static_cast<std::uint16_t>(port);
}

sockaddr_in parse_address(const std::string& name, const std::string& value) {
  const std::size_t colon = value.rfind(':');
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (colon == std::string::npos ||
      inet_pton(AF_INET, value.substr(0, colon).c_str(), &address.sin_addr) != 1) {
    fail(name + " is '" + value + "', expected an IPv4 address and a port, as 127.0.0.1:80");
  }
  address.sin_port = htons(parse_port(name, value.substr(colon + 1)));
  return address;
}

bool set_number(const std::string& name, const std::string& value, Options& options) {
  const struct {
    std::string_view name;
    double* number;
  } numbers[] = {{"--latency-ms", &options.latency_ms},
                 {"--rate", &options.rate},
                 {"--stall-s", &options.stall_s},
                 {"--drip-rate", &options.drip_rate},
                 {"--retry-after", &options.retry_after_s}};
  for (const auto& known : numbers) {
    if (known.name != name) continue;
    *known.number = parse_number(name, value);
    return true;
  }
  for (std::size_t fault = 0; fault < kNumFaults; ++fault) {
    if (name != "--" + std::string(kFaultNames[fault])) continue;
    options.shares[fault] = parse_number(name, value);
    return true;
  }
  return false;
}

// SplitMix64: numbers near each other give numbers that have nothing in common.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Options parse_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 == count) fail(name + " has no value");
    const std::string value = arguments[i + 1];
    if (name == "--upstream") {
      options.upstream = parse_address(name, value);
    } else if (name == "--listen") {
      options.port = parse_port(name, value);
    } else if (name == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (!set_number(name, value, options)) {
      fail("no option " + name);
    }
  }
  if (options.upstream.sin_port == 0) fail("--upstream is missing");
  double sum = 0;
  for (const double share : options.shares) sum += share;
  if (sum > 1 + 1e-9)
    fail("the shares are " + std::to_string(sum) + " together, expected at most 1");
  return options;
}

Draw draw_fault(const Options& options, std::uint64_t request) {
  const std::uint64_t first = mixed(mixed(options.seed) ^ request);
  const std::uint64_t second = mixed(first);
  Draw draw{.where = second >> 1, .is_first_kind = (second & 1) != 0};
  double position = static_cast<double>(first >> 11) * 0x1p-53;
  for (std::size_t fault = 0; fault < kNumFaults; ++fault) {
    if (position < options.shares[fault]) {
      draw.fault = static_cast<Fault>(fault);
      break;
    }
    position -= options.shares[fault];
  }
  return draw;
}

}  // namespace penstock::fault_proxy
