#include "penstock/analyze/ladder.h"

#include <gtest/gtest.h>

namespace penstock::analyze {
namespace {

TEST(LadderTest, ComparesWithTheBoundAndWithTheRungThatDiffersInOneThing) {
  const Ladder ladder{{{"bound", "synthetic", 1000, {}, {}},
                       {"job", "as configured", 500, 0, "everything"},
                       {"job", "no prefetch", 400, 1, "no batch ready"}}};
  EXPECT_DOUBLE_EQ(ladder.share_of_bound(2), 0.4);
  EXPECT_DOUBLE_EQ(ladder.change(2).value(), -0.2);
  EXPECT_EQ(ladder.change(0), std::nullopt);
}

TEST(LadderTest, SplitsStallsIntoFetchAndPreparation) {
  // 10 ms an image from cold storage, 4 ms from memory, 1 ms for the trainer alone.
  const Stalls stalls = split_stalls(100, 250, 1000);
  EXPECT_DOUBLE_EQ(stalls.fetch, 0.6);
  EXPECT_DOUBLE_EQ(stalls.prepare, 0.3);
  EXPECT_DOUBLE_EQ(stalls.train, 0.1);
}

TEST(LadderTest, NoiseIsNoStall) {
  const Stalls stalls = split_stalls(300, 290, 280);
  EXPECT_DOUBLE_EQ(stalls.fetch, 0);
  EXPECT_DOUBLE_EQ(stalls.prepare, 0);
  EXPECT_DOUBLE_EQ(stalls.train, 1);
}

}  // namespace
}  // namespace penstock::analyze
