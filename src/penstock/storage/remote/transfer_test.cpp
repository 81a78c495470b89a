#include "penstock/storage/remote/transfer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "penstock/storage/http/test_client.h"

namespace penstock::storage {
namespace {

class PlainDialect final : public Dialect {
 public:
  Result<HttpRequest> request(const ObjectCall& call) const override {
    return HttpRequest{.method = std::string(call.method), .url = std::string(call.path)};
  }
  Result<ListPage> list(const RemoteParts&, const ListCall&) const override { return ListPage{}; }
};

// The rest of `object` from where the request begins, as far as it has room.
HttpResponse part_of(const HttpRequest& request, std::string_view object) {
  HttpResponse response;
  response.code = 206;
  const std::uint64_t begin = request.range_begin.value_or(0);
  const std::string_view part = object.substr(begin, request.out.size());
  std::memcpy(request.out.data(), part.data(), part.size());
  response.num_received = part.size();
  response.headers = {
      {"content-range", concat("bytes ", begin, "-", begin + part.size() - 1, "/", object.size())},
      {"x-goog-hash", "crc32c=4waSgw=="}};  // of "123456789"
  return response;
}

struct Fetch {
  explicit Fetch(TestClient::Answer answer) : client(std::move(answer)) {}

  Status range(std::uint64_t offset, std::size_t size) {
    bytes.assign(size, '?');
    std::promise<Status> done;
    start_transfer({dialect, client, versions, options},
                   {.path = "x", .offset = offset, .out = std::as_writable_bytes(std::span(bytes))},
                   [&](Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }

  PlainDialect dialect;
  TestClient client;
  ObjectVersions versions;
  RemoteOptions options{.retry = {.give_up_after = std::chrono::milliseconds(50)}};
  std::string bytes;
};

TEST(TransferTest, FetchesADamagedObjectAgain) {
  int num_asked = 0;
  Fetch fetch([&](const HttpRequest& request) {
    return part_of(request, ++num_asked < 3 ? "12345x789" : "123456789");
  });
  EXPECT_TRUE(fetch.range(0, 9).ok());
  EXPECT_EQ(fetch.bytes, "123456789");
  EXPECT_EQ(num_asked, 3);
}

TEST(TransferTest, BeginsAgainAfterDamageInAnObjectThatCameInPieces) {
  std::vector<std::uint64_t> begins;
  Fetch fetch([&](const HttpRequest& request) {
    begins.push_back(request.range_begin.value_or(0));
    HttpResponse response = part_of(request, begins.size() == 1 ? "12x456789" : "123456789");
    if (begins.size() == 1) {
      response.num_received = 4;
      response.status = io_error("reset");
    }
    return response;
  });
  EXPECT_TRUE(fetch.range(0, 9).ok());
  EXPECT_EQ(fetch.bytes, "123456789");
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0, 4, 0}));
}

TEST(TransferTest, GivesUpAnObjectThatStaysDamaged) {
  Fetch fetch([](const HttpRequest& request) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return part_of(request, "123456780");
  });
  const Status status = fetch.range(0, 9);
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_TRUE(status.message().starts_with(
      "GET: crc32c of what came is 0x9bb4494f, expected 0xe3069283, tried "))
      << status.message();
}

TEST(TransferTest, DoesNotCheckAPartOfAnObject) {
  Fetch fetch([](const HttpRequest& request) { return part_of(request, "12345x789"); });
  EXPECT_TRUE(fetch.range(0, 8).ok());
  EXPECT_TRUE(fetch.range(1, 8).ok());
  EXPECT_EQ(fetch.client.asked.size(), 2u);
}

}  // namespace
}  // namespace penstock::storage
