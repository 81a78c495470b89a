#include "penstock/serve/metrics.h"

#include <gmock/gmock.h>

namespace penstock::serve {
namespace {

using testing::HasSubstr;

deliver::RunStats some_stats() {
  deliver::RunStats stats;
  stats.threads = 2;
  stats.samples = 1'280'000;
  stats.consumer_wait_s = 0.25;
  stats.worker_stages = {{"decode", 3.5}};
  stats.memory.slot_bytes = 1 << 20;
  return stats;
}

TEST(MetricsTest, EveryMetricHasHelpAndType) {
  EXPECT_THAT(print_metrics(some_stats()),
              HasSubstr("# HELP penstock_consumer_wait_seconds_total Time the consumer waited.\n"
                        "# TYPE penstock_consumer_wait_seconds_total counter\n"
                        "penstock_consumer_wait_seconds_total 0.25\n"));
}

TEST(MetricsTest, CountsAreWhole) {
  EXPECT_THAT(print_metrics(some_stats()), HasSubstr("\npenstock_samples_total 1280000\n"));
}

TEST(MetricsTest, StagesAndMemoryHaveLabels) {
  const std::string text = print_metrics(some_stats());
  EXPECT_THAT(
      text, HasSubstr("\npenstock_stage_seconds_total{thread=\"worker\",stage=\"decode\"} 3.5\n"));
  EXPECT_THAT(text, HasSubstr("\npenstock_memory_bytes{part=\"batches\"} 1048576\n"));
}

}  // namespace
}  // namespace penstock::serve
