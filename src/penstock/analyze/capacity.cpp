// The arithmetic of a chain: what passes each hop, divided by what one device carries.
#include "penstock/analyze/capacity.h"

#include <algorithm>
#include <cmath>

namespace penstock::analyze {
namespace {

// Whole devices. 0.3 / 0.1 is a little more than 3, and needs three.
std::uint64_t units_for(double needed_gbs, double unit_gbs) {
  return static_cast<std::uint64_t>(std::ceil(needed_gbs / unit_gbs * (1 - 1e-9)));
}

Hop make_hop(std::string_view name, double needed_gbs, double unit_gbs) {
  return {name, needed_gbs, unit_gbs, units_for(needed_gbs, unit_gbs)};
}

Status check(const CapacityOptions& options) {
  const DeviceRates& rates = options.rates;
  const std::pair<std::string_view, double> values[] = {
      {"rate of an accelerator", options.accelerator_gbs},
      {"rate of a drive", rates.drive},
      {"rate of a network card", rates.network_card},
      {"rate into a core", rates.core_in},
      {"rate out of a core", rates.core_out},
      {"rate of a link", rates.link}};
  for (const auto& [name, value] : values) {
    const bool makes_sense = value > 0 && value < 1e9;
    if (!makes_sense) {
      return invalid_argument(name, " is ", value, " GB/s, expected more than 0");
    }
  }
  return {};
}

}  // namespace

DeviceRates default_rates(StorageKind kind) {
  DeviceRates rates;
  switch (kind) {
    case StorageKind::kSsd:
      rates.drive = 0.4;
      break;
    case StorageKind::kNfs:
      rates.drive = 0.02;
      break;
    case StorageKind::kHdd:
    case StorageKind::kObject:
      rates.drive = 0.2;
      break;
  }
  return rates;
}

const Hop* CapacityPlan::find(std::string_view name) const {
  const auto hop = std::ranges::find(hops, name, &Hop::name);
  return hop == hops.end() ? nullptr : &*hop;
}

Result<CapacityPlan> plan_capacity(const CapacityOptions& options, std::uint64_t accelerators) {
  PENSTOCK_TRY(check(options));
  if (accelerators == 0) return invalid_argument("accelerators is 0, expected 1 or more");
  const DeviceRates& rates = options.rates;
  CapacityPlan plan{.accelerators = accelerators,
                    .tensor_gbs = options.accelerator_gbs * static_cast<double>(accelerators)};
  const double share = options.is_compressed ? rates.core_in / rates.core_out : 1;
  plan.stored_gbs = plan.tensor_gbs * share;

  plan.hops.push_back(make_hop("drives", plan.stored_gbs, rates.drive));
  if (options.storage == StorageKind::kNfs || options.storage == StorageKind::kObject) {
    plan.hops.push_back(make_hop("network cards", plan.stored_gbs, rates.network_card));
  }
  if (options.is_compressed) {
    plan.hops.push_back(make_hop("cores", plan.tensor_gbs, rates.core_out));
  }
  plan.hops.push_back({"accelerator links", plan.tensor_gbs, rates.link, accelerators});
  // A hair of difference is rounding, not headroom.
  for (std::size_t i = 1; i < plan.hops.size(); ++i) {
    if (plan.hops[i].headroom() < plan.hops[plan.binding].headroom() * (1 - 1e-9)) plan.binding = i;
  }
  return plan;
}

std::vector<KnownLink> known_links() {
  return {{"NVLink", 40},
          {"CPU with 40 PCIe lanes", 30},
          {"56 Gbit/s network", 6.8},
          {"SATA interface", 6},
          {"PCIe x8 to one GPU", 5},
          {"10 Gbit/s network", 1},
          {"disk, sequential", 0.2},
          {"disk, at random or NFS", 0.02}};
}

double petabyte_seconds(double gbs) { return 1e6 / gbs; }

std::string rough_time(double seconds) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"year", 365 * 86400.0},
                                                            {"week", 7 * 86400.0},
                                                            {"day", 86400},
                                                            {"hour", 3600},
                                                            {"minute", 60}};
  for (const auto& [name, length] : kUnits) {
    if (seconds < length) continue;
    const long count = std::lround(seconds / length);
    return concat(count, ' ', name, count == 1 ? "" : "s");
  }
  return concat(std::lround(seconds), " s");
}

}  // namespace penstock::analyze
