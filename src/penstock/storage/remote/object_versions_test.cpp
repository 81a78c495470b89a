#include "penstock/storage/remote/object_versions.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

TEST(ObjectVersionsTest, NoticesAnotherVersion) {
  ObjectVersions versions;
  EXPECT_EQ(versions.check("a", "\"1\""), Status());
  EXPECT_EQ(versions.check("a", "\"1\""), Status());
  EXPECT_EQ(versions.check("b", "\"2\""), Status());
  EXPECT_EQ(
      versions.check("a", "\"2\""),
      corrupt("changed while it was being read: it is version \"2\" now, expected that of the "
              "first read"));
}

TEST(ObjectVersionsTest, BelievesWhoLooksAnew) {
  ObjectVersions versions;
  EXPECT_EQ(versions.check("a", "\"1\""), Status());
  versions.renew("a", "\"2\"");
  EXPECT_EQ(versions.check("a", "\"2\""), Status());
}

TEST(ObjectVersionsTest, KnowsNothingWithoutETags) {
  ObjectVersions versions;
  EXPECT_EQ(versions.check("a", "\"1\""), Status());
  EXPECT_EQ(versions.check("a", ""), Status());
  versions.renew("a", "");
  EXPECT_EQ(versions.check("a", "\"2\""), Status());
}

}  // namespace
}  // namespace penstock::storage
