#include "penstock/storage/http/plain_connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace penstock::storage {
namespace {

using Progress = PlainConnection::Progress;

// A connection to a server that says what the test lets it say.
class PlainConnectionTest : public testing::Test {
 protected:
  PlainConnectionTest() {
    std::array<int, 2> ends;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    server = ends[1];
    connection = std::make_unique<PlainConnection>(ends[0]);
  }
  ~PlainConnectionTest() override { close_server(); }

  // As a server does that has read what was asked: with unread bytes it would be a reset.
  void close_server() {
    if (server < 0) return;
    asked();
    close(server);
    server = -1;
  }
  void say(std::string_view text) {
    EXPECT_EQ(write(server, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string asked() const {
    std::array<char, 1000> text;
    const ssize_t size = recv(server, text.data(), text.size(), MSG_DONTWAIT);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  Progress send() {
    answer.begin(Answer::Clock::now());
    return connection->send(request, answer);
  }
  Progress receive() { return connection->receive(answer); }
  Progress exchange(std::string_view text) {
    EXPECT_EQ(send(), Progress::kUnderWay);
    say(text);
    return receive();
  }
  const HttpResponse& response() const { return answer.response(); }

  std::string bytes = "..........";
  HttpRequest request{.url = "http://host:8000/a%20b?x=1",
                      .headers = {"X: y"},
                      .out = std::as_writable_bytes(std::span(bytes)),
                      .range_begin = 5};
  Answer answer{request};
  int server = -1;
  std::unique_ptr<PlainConnection> connection;
};

TEST_F(PlainConnectionTest, AsksForARange) {
  EXPECT_EQ(send(), Progress::kUnderWay);
  EXPECT_EQ(asked(),
            "GET /a%20b?x=1 HTTP/1.1\r\nHost: host:8000\r\nAccept: */*\r\nX: y\r\n"
            "Range: bytes=5-14\r\n\r\n");
}

TEST_F(PlainConnectionTest, LeavesTheUsualPortOutAndAsksForTheRoot) {
  request.url = "http://host:80";
  request.headers.clear();
  request.range_begin.reset();
  EXPECT_EQ(send(), Progress::kUnderWay);
  EXPECT_EQ(asked(), "GET / HTTP/1.1\r\nHost: host\r\nAccept: */*\r\n\r\n");
}

TEST_F(PlainConnectionTest, ReceivesABodyInPlace) {
  EXPECT_EQ(exchange("HTTP/1.1 206 Partial Content\r\nContent-Length: 10\r\nETag: \"e\"\r\n\r\n"
                     "0123456789"),
            Progress::kDone);
  EXPECT_EQ(bytes, "0123456789");
  EXPECT_EQ(response().code, 206);
  EXPECT_EQ(response().header("etag"), "\"e\"");
  EXPECT_EQ(response().num_received, 10u);
  EXPECT_TRUE(connection->can_go_on());
}

TEST_F(PlainConnectionTest, TakesWhatComesByteByByte) {
  EXPECT_EQ(send(), Progress::kUnderWay);
  const std::string text = "HTTP/1.1 206 x\r\nContent-Length: 10\r\n\r\n0123456789";
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_EQ(receive(), Progress::kUnderWay);
    say(text.substr(i, 1));
  }
  EXPECT_EQ(receive(), Progress::kDone);
  EXPECT_EQ(bytes, "0123456789");
}

TEST_F(PlainConnectionTest, TakesALongHead) {
  const std::string name(50'000, 'n');
  EXPECT_EQ(send(), Progress::kUnderWay);
  say("HTTP/1.1 206 x\r\nX: " + name + "\r\nContent-Length: 2\r\n\r\nab");
  Progress progress = Progress::kUnderWay;
  for (int i = 0; i < 100 && progress == Progress::kUnderWay; ++i) progress = receive();
  EXPECT_EQ(progress, Progress::kDone);
  EXPECT_EQ(response().header("x"), name);
  EXPECT_EQ(bytes.substr(0, 2), "ab");
}

TEST_F(PlainConnectionTest, ReadsWhatARefusalSays) {
  EXPECT_EQ(exchange("HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\nRetry-After: 1\r\n\r\nwait"),
            Progress::kDone);
  EXPECT_EQ(response().code, 503);
  EXPECT_EQ(response().text, "wait");
  EXPECT_EQ(response().header("retry-after"), "1");
  EXPECT_EQ(bytes, "..........");
}

TEST_F(PlainConnectionTest, GoesOnWithTheNextRequest) {
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 3\r\n\r\nabc"), Progress::kDone);
  EXPECT_TRUE(connection->is_open());
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 3\r\n\r\ndef"), Progress::kDone);
  EXPECT_EQ(bytes.substr(0, 3), "def");
}

TEST_F(PlainConnectionTest, DoesNotGoOnIfTheServerSaysSo) {
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 3\r\nConnection: Keep-Alive\r\n\r\nabc"),
            Progress::kDone);
  EXPECT_TRUE(connection->can_go_on());
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 3\r\nConnection: Close\r\n\r\nabc"),
            Progress::kDone);
  EXPECT_FALSE(connection->can_go_on());
}

TEST_F(PlainConnectionTest, SeesThatItWasClosed) {
  EXPECT_TRUE(connection->is_open());
  close_server();
  EXPECT_FALSE(connection->is_open());
}

TEST_F(PlainConnectionTest, IsNotOpenForMoreIfTheServerSpeaksUnasked) {
  say("x");
  EXPECT_FALSE(connection->is_open());
}

TEST_F(PlainConnectionTest, SaysWhatIsMissingWhenItIsCutOff) {
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 10\r\n\r\n0123"), Progress::kUnderWay);
  close_server();
  EXPECT_EQ(receive(), Progress::kBroken);
  EXPECT_EQ(response().status, io_error("the connection was closed with 6 bytes to come"));
  EXPECT_EQ(response().num_received, 4u);
  EXPECT_FALSE(connection->can_go_on());
  EXPECT_FALSE(connection->was_closed_before());
}

TEST_F(PlainConnectionTest, TellsAConnectionThatWasClosedBeforeFromOneThatBroke) {
  EXPECT_EQ(send(), Progress::kUnderWay);
  close_server();
  EXPECT_EQ(receive(), Progress::kBroken);
  EXPECT_FALSE(connection->was_closed_before());
}

TEST_F(PlainConnectionTest, ATrueServerMayCloseWhatItKeptOpen) {
  EXPECT_EQ(exchange("HTTP/1.1 206 x\r\nContent-Length: 3\r\n\r\nabc"), Progress::kDone);
  close_server();
  EXPECT_EQ(send(), Progress::kBroken);
  EXPECT_TRUE(connection->was_closed_before());
}

TEST_F(PlainConnectionTest, LeavesWhatIsNotPlainToOthers) {
  for (const std::string_view text : {
           "HTTP/1.1 307 x\r\nLocation: http://other/\r\nContent-Length: 0\r\n\r\n",
           "HTTP/1.1 100 Continue\r\n\r\n",
           "HTTP/1.0 206 x\r\nContent-Length: 3\r\n\r\nabc",
           "HTTP/1.1 206 x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc",
           "HTTP/1.1 206 x\r\n\r\nabc",
           "HTTP/1.1 206 x\r\nContent-Length: -3\r\n\r\nabc",
           "HTTP/1.1 206 x\r\nContent-Length: 11\r\n\r\n0123456789a",
           "HTTP/1.1 206 x\r\nContent-Length: 2\r\n\r\nabc",
           "HTTP/1.1 206 x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
           "HTTP/1.1 200 x\r\nContent-Length: 8\r\n\r\n01234567",  // begins before the range
           "220 smtp\r\n\r\n",
       }) {
    EXPECT_EQ(exchange(text), Progress::kUnfit) << text;
    EXPECT_EQ(bytes, "..........") << text;
  }
}

TEST_F(PlainConnectionTest, SuitsReadsWithoutEncryption) {
  EXPECT_TRUE(PlainConnection::suits(request));
  for (const std::string_view url : {"https://host/a", "http://user:word@host/a", "http://h/a#b"}) {
    HttpRequest other = request;
    other.url = url;
    EXPECT_FALSE(PlainConnection::suits(other)) << url;
  }
  HttpRequest head = request;
  head.method = "HEAD";
  EXPECT_FALSE(PlainConnection::suits(head));
}

}  // namespace
}  // namespace penstock::storage
