// Lets a server say anything. An answer that is taken fits its request; what is left to others has
// written nothing.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "penstock/storage/http/numbers.h"
#include "penstock/storage/http/plain_connection.h"

namespace {

using penstock::storage::Answer;
using penstock::storage::PlainConnection;
using Progress = PlainConnection::Progress;

constexpr std::size_t kMaxSize = 100'000;  // what a socket takes before it is read

void expect(bool is_so) {
  if (!is_so) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<int, 2> ends;
  if (size > kMaxSize || socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return 0;
  PlainConnection connection(ends[0]);
  std::string bytes(20, '.');
  const penstock::storage::HttpRequest request{
      .url = "http://host/", .out = std::as_writable_bytes(std::span(bytes)), .range_begin = 0};
  Answer answer(request);
  answer.begin(Answer::Clock::now());
  Progress progress = connection.send(request, answer);
  expect(progress == Progress::kUnderWay);
  if (size > 0) expect(write(ends[1], data, size) == static_cast<ssize_t>(size));
  close(ends[1]);
  while (progress == Progress::kUnderWay) progress = connection.receive(answer);

  const auto& response = answer.response();
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view taken = std::string_view(bytes).substr(0, response.num_received);
  expect(all.find(taken) != std::string_view::npos);
  expect(bytes.substr(taken.size()) == std::string(bytes.size() - taken.size(), '.'));
  if (progress == Progress::kUnfit) expect(taken.empty());
  if (progress == Progress::kBroken) expect(!response.status.ok());
  if (progress == Progress::kDone) {
    expect(penstock::storage::parse_number(response.header("content-length")) ==
           (taken.empty() ? response.text.size() : taken.size()));
  }
  return 0;
}
