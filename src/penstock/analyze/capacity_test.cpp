// The published tables, to the figure.
#include "penstock/analyze/capacity.h"

#include <gmock/gmock.h>

namespace penstock::analyze {
namespace {

using testing::DoubleNear;

constexpr std::uint64_t kSizes[] = {1, 4, 8, 16, 64, 256};

CapacityPlan plan(StorageKind storage, bool is_compressed, std::uint64_t accelerators) {
  const CapacityOptions options{
      .storage = storage, .is_compressed = is_compressed, .rates = default_rates(storage)};
  return plan_capacity(options, accelerators).value();
}

// How many of `hop` each of kSizes needs; -1 if there is no such hop.
std::vector<int> units(StorageKind storage, bool is_compressed, std::string_view hop) {
  std::vector<int> units;
  for (const std::uint64_t accelerators : kSizes) {
    const CapacityPlan made = plan(storage, is_compressed, accelerators);
    const Hop* found = made.find(hop);
    units.push_back(found == nullptr ? -1 : static_cast<int>(found->units));
  }
  return units;
}

TEST(CapacityTest, ReproducesCompressedImagesOnSsd) {
  EXPECT_THAT(units(StorageKind::kSsd, true, "drives"), testing::ElementsAre(1, 1, 2, 3, 12, 48));
  EXPECT_THAT(units(StorageKind::kSsd, true, "cores"),
              testing::ElementsAre(3, 12, 24, 48, 192, 768));
  EXPECT_THAT(units(StorageKind::kSsd, true, "network cards"), testing::Each(-1));
}

TEST(CapacityTest, ReproducesCompressedImagesOnNfs) {
  EXPECT_THAT(units(StorageKind::kNfs, true, "drives"),
              testing::ElementsAre(4, 15, 30, 60, 240, 960));
  EXPECT_THAT(units(StorageKind::kNfs, true, "network cards"),
              testing::ElementsAre(1, 1, 1, 1, 1, 4));
  EXPECT_THAT(units(StorageKind::kNfs, true, "cores"),
              testing::ElementsAre(3, 12, 24, 48, 192, 768));
}

TEST(CapacityTest, ReproducesTensorsOnNfsAndInAnObjectStore) {
  EXPECT_THAT(units(StorageKind::kNfs, false, "drives"),
              testing::ElementsAre(15, 60, 120, 240, 960, 3840));
  EXPECT_THAT(units(StorageKind::kObject, false, "drives"),
              testing::ElementsAre(2, 6, 12, 24, 96, 384));
  EXPECT_THAT(units(StorageKind::kObject, false, "network cards"),
              testing::ElementsAre(1, 1, 1, 1, 4, 16));
  EXPECT_THAT(units(StorageKind::kObject, false, "cores"), testing::Each(-1));
}

TEST(CapacityTest, SaysWhatPassesEachHop) {
  const CapacityPlan made = plan(StorageKind::kNfs, true, 256);
  EXPECT_THAT(made.stored_gbs, DoubleNear(19.2, 1e-9));
  EXPECT_THAT(made.tensor_gbs, DoubleNear(76.8, 1e-9));
  EXPECT_THAT(made.find("cores")->needed_gbs, DoubleNear(76.8, 1e-9));
}

TEST(CapacityTest, TheHopWithTheLeastHeadroomBinds) {
  const CapacityPlan one = plan(StorageKind::kSsd, true, 1);
  EXPECT_EQ(one.hops[one.binding].name, "cores");
  EXPECT_THAT(one.find("drives")->headroom(), DoubleNear(0.4 / 0.075, 1e-9));

  CapacityOptions options{.accelerator_gbs = 2, .rates = {.link = 1}};
  const CapacityPlan narrow = plan_capacity(options, 4).value();
  EXPECT_EQ(narrow.hops[narrow.binding].name, "accelerator links");
  EXPECT_THAT(narrow.hops[narrow.binding].headroom(), DoubleNear(0.5, 1e-9));
}

TEST(CapacityTest, ReproducesTheTimesForAPetabyte) {
  EXPECT_EQ(rough_time(petabyte_seconds(30)), "9 hours");
  EXPECT_EQ(rough_time(petabyte_seconds(40)), "7 hours");
  EXPECT_EQ(rough_time(petabyte_seconds(5)), "2 days");
  EXPECT_EQ(rough_time(petabyte_seconds(6)), "2 days");
  EXPECT_EQ(rough_time(petabyte_seconds(6.8)), "2 days");
  EXPECT_EQ(rough_time(petabyte_seconds(1)), "2 weeks");
  EXPECT_EQ(rough_time(petabyte_seconds(0.02)), "2 years");
  EXPECT_EQ(rough_time(59), "59 s");
  EXPECT_EQ(rough_time(3600), "1 hour");
}

TEST(CapacityTest, NamesTheRateThatMakesNoSense) {
  EXPECT_EQ(plan_capacity({.accelerator_gbs = 0}, 1).status().message(),
            "rate of an accelerator is 0 GB/s, expected more than 0");
  EXPECT_EQ(plan_capacity({.rates = {.drive = -1}}, 1).status().message(),
            "rate of a drive is -1 GB/s, expected more than 0");
}

}  // namespace
}  // namespace penstock::analyze
