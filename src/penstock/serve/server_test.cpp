#include "penstock/serve/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "penstock/serve/testing.h"

namespace penstock::serve {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::unique_ptr<Server> served(const std::shared_ptr<Board>& board,
                               const ServerOptions& options = {}) {
  auto server = Server::start(board, options);
  EXPECT_TRUE(server.ok()) << server.status().message();
  return std::move(server).value();
}

int port_of(const Server& server) {
  return std::stoi(server.url().substr(server.url().rfind(':') + 1));
}

httplib::Result get(const Server& server, const std::string& path,
                    const httplib::Headers& headers = {}) {
  httplib::Client client(server.url().substr(0, server.url().size() - 1));
  return client.Get(path, headers);
}

TEST(ServerTest, ServesThePage) {
  const auto server = served(std::make_shared<Board>());
  EXPECT_THAT(server->url(), StartsWith("http://127.0.0.1:"));
  const auto page = get(*server, "/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_THAT(page->body, AllOf(StartsWith("<!doctype html>"), HasSubstr("</html>")));
}

TEST(ServerTest, ThePageLoadsNothingFromElsewhere) {
  const auto server = served(std::make_shared<Board>());
  const std::string page = get(*server, "/")->body;
  // Names of formats are no addresses to load from.
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("href=\"http")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(ServerTest, TellsOfARunAndItsSamples) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(48, 5), .labels = {0, 1, 2, 3}};
  const auto run = run_of(plan_of(images, {"image", {}}));
  const auto board = std::make_shared<Board>();
  const auto server = served(board);
  EXPECT_EQ(nlohmann::json::parse(get(*server, "/live.json")->body)["run"], 0);
  EXPECT_EQ(get(*server, "/samples.bmp")->status, 404);

  board->attach(run);
  board->show(*next_of(*run));
  const auto live = nlohmann::json::parse(get(*server, "/live.json")->body);
  EXPECT_EQ(live["run"], 1);
  EXPECT_EQ(live["totals"]["batches"], 1);
  EXPECT_EQ(live["samples"]["captions"][1]["label"], 1);
  EXPECT_THAT(get(*server, "/samples.bmp")->body, StartsWith("BM"));
  EXPECT_THAT(get(*server, "/metrics")->body, HasSubstr("\npenstock_batches_total 1\n"));
}

TEST(ServerTest, KeepsTheLastFiguresOfARunThatEnded) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(48, 5), .labels = {0, 1, 2, 3}};
  auto run = run_of(plan_of(images, {"image", {}}));
  const auto board = std::make_shared<Board>();
  board->attach(run);
  next_of(*run);
  board->detach();
  run.reset();
  EXPECT_EQ(nlohmann::json::parse(board->live_json())["totals"]["batches"], 1);
}

TEST(ServerTest, CopiesNoSamplesIfNobodyLooks) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(48, 5), .labels = {0, 1, 2, 3}};
  const auto run = run_of(plan_of(images, {"image", {}}));
  Board board;
  board.attach(run);
  board.show(*next_of(*run));
  EXPECT_EQ(board.samples_bmp(), "");
}

TEST(ServerTest, AnswersOnlyToNamesOfThisMachine) {
  const auto server = served(std::make_shared<Board>());
  EXPECT_EQ(get(*server, "/live.json", {{"Host", "localhost:80"}})->status, 200);
  EXPECT_EQ(get(*server, "/live.json", {{"Host", "[::1]:80"}})->status, 200);
  const auto refused = get(*server, "/live.json", {{"Host", "elsewhere.example"}});
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(refused->body, "asked for host elsewhere.example, expected localhost\n");
}

TEST(ServerTest, SaysThatAPortIsTaken) {
  const auto server = served(std::make_shared<Board>());
  const int port = port_of(*server);
  const auto second = Server::start(std::make_shared<Board>(), {.port = port});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), Code::kIo);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(std::to_string(port)));
}

TEST(ServerTest, RejectsAPortThatIsNone) {
  const auto server = Server::start(std::make_shared<Board>(), {.port = 70000});
  EXPECT_EQ(server.status().message(), "port is 70000, expected 0 to 65535");
}

// As browsers do, which open connections ahead of need.
TEST(ServerTest, EndsSoonAlthoughAConnectionIsOpen) {
  auto server = served(std::make_shared<Board>());
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address{.sin_family = AF_INET,
                            .sin_port = htons(static_cast<std::uint16_t>(port_of(*server))),
                            .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
  ASSERT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_TRUE(get(*server, "/live.json"));
  const auto began = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  close(connection);
}

// For the thread sanitizer: requests while runs come and go.
TEST(ServerTest, RunsMayEndWhileSomebodyLooks) {
  const TestImages images{.pixels = std::vector<std::uint8_t>(48, 5), .labels = {0, 1, 2, 3}};
  const auto plan = plan_of(images, {"image", {}});
  const auto board = std::make_shared<Board>();
  std::jthread looking([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      board->live_json();
      board->metrics_text();
      board->samples_bmp();
    }
  });
  for (int i = 0; i < 50; ++i) {
    const auto run = run_of(plan);
    board->attach(run);
    for (auto batch = next_of(*run); batch != nullptr; batch = next_of(*run)) board->show(*batch);
    if (i % 2 == 0) board->detach();
  }
}

}  // namespace
}  // namespace penstock::serve
