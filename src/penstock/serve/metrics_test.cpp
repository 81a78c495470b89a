#include "penstock/serve/metrics.h"

#include <gmock/gmock.h>

namespace penstock::serve {
namespace {

using testing::HasSubstr;

deliver::RunStats some_stats() {
  deliver::RunStats stats;
  stats.now.time_s = 0.25;
  stats.now.decode.samples = 1'280'000;
  stats.now.decode.busy_s = 3.5;
  stats.now.ready_batches = 2;
  stats.memory.slot_bytes = 1 << 20;
  return stats;
}

TEST(MetricsTest, EveryMetricHasHelpAndType) {
  EXPECT_THAT(print_metrics(some_stats()),
              HasSubstr("# HELP penstock_run_seconds_total Time since the run began.\n"
                        "# TYPE penstock_run_seconds_total counter\n"
                        "penstock_run_seconds_total 0.25\n"));
}

TEST(MetricsTest, CountsAreWhole) {
  EXPECT_THAT(print_metrics(some_stats()), HasSubstr("\npenstock_samples_total 1280000\n"));
}

TEST(MetricsTest, StagesQueuesAndMemoryHaveLabels) {
  const std::string text = print_metrics(some_stats());
  EXPECT_THAT(text,
              HasSubstr("\npenstock_stage_seconds_total{stage=\"decode\",state=\"busy\"} 3.5\n"));
  EXPECT_THAT(text, HasSubstr("\npenstock_queue_size{queue=\"ready_batches\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\npenstock_memory_bytes{part=\"batches\"} 1048576\n"));
}

}  // namespace
}  // namespace penstock::serve
