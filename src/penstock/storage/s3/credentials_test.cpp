#include "penstock/storage/s3/credentials.h"

#include <gtest/gtest.h>

#include "penstock/storage/s3/test_world.h"

namespace penstock::storage {
namespace {

std::string print(const Result<S3Keys>& keys) {
  if (!keys.ok()) return std::string(keys.status().message());
  return concat(keys->key, " ", keys->secret, " ", keys->token);
}

std::string found(TestWorld& world) {
  const auto client = std::make_shared<TestClient>(world.answer);
  return print(S3Credentials(client, world.environment()).keys());
}

TEST(CredentialsTest, TakesVariablesFirst) {
  TestWorld world;
  world.variables["AWS_ACCESS_KEY_ID"] = "K";
  world.variables["AWS_SECRET_ACCESS_KEY"] = "S";
  world.variables["AWS_SESSION_TOKEN"] = "T";
  world.files["/home/me/.aws/credentials"] = "[default]\naws_access_key_id=x\n";
  EXPECT_EQ(found(world), "K S T");
}

TEST(CredentialsTest, TakesTheProfileThatIsNamed) {
  TestWorld world;
  world.variables["AWS_PROFILE"] = "work";
  world.files["/home/me/.aws/credentials"] =
      "[default]\naws_access_key_id=x\naws_secret_access_key=y\n"
      "[work]\naws_access_key_id=K\naws_secret_access_key=S\n";
  EXPECT_EQ(found(world), "K S ");
}

TEST(CredentialsTest, TakesFilesFromWhereVariablesSay) {
  TestWorld world;
  world.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/keys";
  world.files["/keys"] = "[default]\naws_access_key_id=K\naws_secret_access_key=S\n";
  EXPECT_EQ(found(world), "K S ");
}

TEST(CredentialsTest, AsksTheTokenServiceForAWebIdentity) {
  TestWorld world;
  world.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  world.variables["AWS_ROLE_ARN"] = "arn:aws:iam::1:role/r";
  world.variables["AWS_REGION"] = "eu-west-1";
  world.files["/token"] = "a.b.c";
  world.answer = [](const HttpRequest& request) {
    EXPECT_EQ(request.url,
              "https://sts.eu-west-1.amazonaws.com/?Action=AssumeRoleWithWebIdentity&"
              "RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=penstock&"
              "Version=2011-06-15&WebIdentityToken=a.b.c");
    return text_response(
        "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>"
        "<AccessKeyId>K</AccessKeyId><SecretAccessKey>S</SecretAccessKey>"
        "<SessionToken>T</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration>"
        "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>");
  };
  EXPECT_EQ(found(world), "K S T");
}

constexpr std::string_view kKeysAsJson =
    R"({"AccessKeyId":"K","SecretAccessKey":"S","Token":"T","Expiration":"2023-11-14T23:13:20Z"})";

TEST(CredentialsTest, AsksTheContainer) {
  TestWorld world;
  world.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/v2/keys";
  world.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "let me in";
  world.answer = [](const HttpRequest& request) {
    EXPECT_EQ(request.url, "http://169.254.170.2/v2/keys");
    EXPECT_TRUE(has_header(request, "Authorization: let me in"));
    return text_response(std::string(kKeysAsJson));
  };
  EXPECT_EQ(found(world), "K S T");
}

HttpResponse instance_answer(const HttpRequest& request) {
  const std::string root = "http://169.254.169.254/latest/";
  if (request.method == "PUT") {
    EXPECT_EQ(request.url, root + "api/token");
    return text_response("token");
  }
  EXPECT_TRUE(has_header(request, "X-aws-ec2-metadata-token: token"));
  if (request.url == root + "meta-data/iam/security-credentials/") return text_response("role\n");
  EXPECT_EQ(request.url, root + "meta-data/iam/security-credentials/role");
  return text_response(std::string(kKeysAsJson));
}

TEST(CredentialsTest, AsksTheInstanceLast) {
  TestWorld world;
  world.answer = instance_answer;
  EXPECT_EQ(found(world), "K S T");
}

TEST(CredentialsTest, FetchesKeysAnewBeforeTheyExpire) {
  TestWorld world;
  world.answer = instance_answer;
  const auto client = std::make_shared<TestClient>(world.answer);
  S3Credentials credentials(client, world.environment());
  EXPECT_EQ(print(credentials.keys()), "K S T");
  EXPECT_EQ(print(credentials.keys()), "K S T");
  EXPECT_EQ(client->asked.size(), 3u);
  world.now_s = kTestNow + 3600 - 200;
  EXPECT_EQ(print(credentials.keys()), "K S T");
  EXPECT_EQ(client->asked.size(), 6u);
}

TEST(CredentialsTest, DoesNotAskAnInstanceThatIsDisabled) {
  TestWorld world;
  world.variables["AWS_EC2_METADATA_DISABLED"] = "true";
  world.answer = instance_answer;
  EXPECT_EQ(found(world).substr(0, 14), "no keys for S3");
}

TEST(CredentialsTest, SaysWhereItLooked) {
  TestWorld world;
  EXPECT_EQ(found(world),
            "no keys for S3 in AWS_ACCESS_KEY_ID, in profile default of /home/me/.aws/credentials, "
            "or from a container's or an instance's metadata; for a public bucket set "
            "AWS_NO_SIGN_REQUEST=1");
}

}  // namespace
}  // namespace penstock::storage
