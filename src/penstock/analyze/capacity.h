// How many drives, network cards and cores feed so many accelerators.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::analyze {

enum class StorageKind : std::uint8_t {
  kSsd,     // in the machine
  kHdd,     // in the machine, read in large pieces
  kNfs,     // disks behind a shared file system, which sees reads at random
  kObject,  // disks behind an object store, which keeps reads sequential
};
constexpr std::array<std::string_view, 4> enum_names(StorageKind) {
  return {"ssd", "hdd", "nfs", "object"};
}

// What one of a kind carries, in GB/s (10^9 bytes). The defaults are published ones; docs/limits.md
// says where they come from.
struct DeviceRates {
  double drive = 0.4;
  double network_card = 5;
  double core_in = 0.025;  // compressed images that one core decodes and transforms
  double core_out = 0.1;   // the tensors that come out
  double link = 1;         // into one accelerator
};

// With the drive of that kind.
DeviceRates default_rates(StorageKind kind);

struct CapacityOptions {
  StorageKind storage = StorageKind::kSsd;
  bool is_compressed = true;     // else tensors are stored, and cores have nothing to do
  double accelerator_gbs = 0.3;  // tensors that one accelerator takes
  DeviceRates rates;
};

// One kind of device on the way.
struct Hop {
  std::string_view name;  // "drives", "network cards", "cores", "accelerator links"
  double needed_gbs = 0;
  double unit_gbs = 0;  // in the same bytes as needed_gbs
  std::uint64_t units = 0;

  double capacity_gbs() const { return unit_gbs * static_cast<double>(units); }
  // 1: just enough. Below 1 only where units cannot be added: each accelerator has one link.
  double headroom() const { return capacity_gbs() / needed_gbs; }
};

struct CapacityPlan {
  std::uint64_t accelerators = 0;
  double stored_gbs = 0;    // out of storage and into the cores
  double tensor_gbs = 0;    // into the accelerators
  std::vector<Hop> hops;    // in the order that bytes pass them
  std::size_t binding = 0;  // the hop with the least headroom; of equals the first

  // Null if the bytes do not pass it.
  const Hop* find(std::string_view name) const;
};

// Fails naming the rate that is not above 0.
Result<CapacityPlan> plan_capacity(const CapacityOptions& options, std::uint64_t accelerators);

// Links as published, to compare with.
struct KnownLink {
  std::string_view name;
  double gbs;
};
std::vector<KnownLink> known_links();

double petabyte_seconds(double gbs);
// "9 hours", "2 days", "2 weeks": the largest unit that fits once, rounded.
std::string rough_time(double seconds);

}  // namespace penstock::analyze
