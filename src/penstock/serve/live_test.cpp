#include "penstock/serve/live.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace penstock::serve {
namespace {

using nlohmann::json;

json live_of(const RunFigures& figures, const Thumbnails& samples = {}) {
  return json::parse(print_live({.run = 1, .figures = &figures, .samples = samples}));
}

TEST(LiveTest, WithoutARunThereAreNoFigures) {
  const Thumbnails none;
  const json live = json::parse(print_live({.samples = none}));
  EXPECT_EQ(live["run"], 0);
  EXPECT_FALSE(live.contains("totals"));
  EXPECT_TRUE(live["samples"]["captions"].empty());
}

TEST(LiveTest, ALinkWithoutLimitHasNoCapacity) {
  RunFigures figures;
  figures.verdict.links = {{"decode", 200, 0.5},
                           {"batch", std::numeric_limits<double>::infinity(), 0}};
  const json live = live_of(figures);
  EXPECT_EQ(live["flow"][0], json::parse(R"({"name": "decode", "capacity": 200, "busy": 0.5})"));
  EXPECT_EQ(live["flow"][1]["capacity"], nullptr);
}

TEST(LiveTest, TellsOnlyOfChangesThatGain) {
  RunFigures figures;
  figures.verdict.changes = {{"2 more cores", 300, 0.5}, {"faster storage", 202, 0.01}};
  const json live = live_of(figures);
  ASSERT_EQ(live["verdict"]["changes"].size(), 1U);
  EXPECT_EQ(live["verdict"]["changes"][0]["what"], "2 more cores");
}

TEST(LiveTest, TellsOfTheLastBatches) {
  RunFigures figures;
  for (std::uint64_t i = 0; i < 100; ++i) figures.batches.push_back({.number = i, .wait_s = 0.5});
  const json live = live_of(figures);
  ASSERT_EQ(live["batches"].size(), 60U);
  EXPECT_EQ(live["batches"][59]["number"], 99);
  EXPECT_EQ(live["batches"][59]["wait_s"], 0.5);
}

TEST(LiveTest, TellsOfTwoPointsASecond) {
  RunFigures figures;
  for (int i = 0; i < 20; ++i) {
    figures.history.emplace_back().time_s = 0.1 * i;
    figures.history.back().decode.samples = static_cast<std::uint64_t>(i);
  }
  const json live = live_of(figures);
  ASSERT_EQ(live["history"].size(), 4U);
  EXPECT_EQ(live["history"][1]["samples"], 5);
}

TEST(LiveTest, NamesThatAreNoTextDoNoHarm) {
  const Thumbnails samples{.captions = {{3, "cat\xff.jpg", 1, "cat"}}};
  const json live = live_of({}, samples);
  EXPECT_EQ(live["samples"]["captions"][0]["name"], "cat\xEF\xBF\xBD.jpg");
  EXPECT_EQ(live["samples"]["captions"][0]["class"], "cat");
}

}  // namespace
}  // namespace penstock::serve
