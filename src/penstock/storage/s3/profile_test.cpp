#include "penstock/storage/s3/profile.h"

#include <gtest/gtest.h>

namespace penstock::storage {
namespace {

constexpr std::string_view kText = R"(# a comment
[default]
aws_access_key_id = AAA
aws_secret_access_key=b=c

[profile other]
region = eu-west-1
s3 =
  max_concurrent_requests = 20
; another comment
  [not a section]
endpoint_url = http://localhost:9000
)";

TEST(ProfileTest, FindsTheSettingsOfASection) {
  const Profile profile = find_profile(kText, "default");
  EXPECT_EQ(profile, (Profile{{"aws_access_key_id", "AAA"}, {"aws_secret_access_key", "b=c"}}));
}

TEST(ProfileTest, FindsASectionOfAConfigFile) {
  const Profile profile = find_profile(kText, "other");
  EXPECT_EQ(setting(profile, "region"), "eu-west-1");
  EXPECT_EQ(setting(profile, "endpoint_url"), "http://localhost:9000");
}

TEST(ProfileTest, PassesOverSettingsOfSettings) {
  EXPECT_EQ(setting(find_profile(kText, "other"), "max_concurrent_requests"), "");
}

TEST(ProfileTest, HasNothingToSayOfAnUnknownSection) {
  EXPECT_EQ(find_profile(kText, "nobody"), Profile());
}

TEST(ProfileTest, TakesWindowsLineEnds) {
  EXPECT_EQ(setting(find_profile("[default]\r\nregion = x\r\n", "default"), "region"), "x");
}

}  // namespace
}  // namespace penstock::storage
