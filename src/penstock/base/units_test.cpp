#include "penstock/base/units.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(UnitsTest, ReadsSizes) {
  EXPECT_EQ(*parse_size_bytes("4096"), 4096u);
  EXPECT_EQ(*parse_size_bytes("512MiB"), 512u << 20);
  EXPECT_EQ(*parse_size_bytes("1.5 GB"), 1'500'000'000u);
}

TEST(UnitsTest, RejectsWhatIsNoSize) {
  for (const std::string_view text : {"", "MiB", "-1", "1 potato", "1e300", "12 MiBB"}) {
    EXPECT_FALSE(parse_size_bytes(text).ok()) << text;
  }
  EXPECT_EQ(parse_size_bytes("lots").status().message(),
            "'lots' is not a size, expected one like 512MiB, 1.5GB or 4096");
}

TEST(UnitsTest, PrintsSizes) {
  EXPECT_EQ(print_size_bytes(17), "17 B");
  EXPECT_EQ(print_size_bytes(40370176), "38.5 MiB");
}

}  // namespace
}  // namespace penstock
