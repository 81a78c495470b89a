// Sockets from which something is expected, and a way to wake who waits for them.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

namespace penstock::storage {

// epoll. wake() is safe from any thread, the rest is for one.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // False if the system has no more of them; errno says why.
  bool is_open() const { return epoll_ >= 0 && wake_ >= 0; }

  // EPOLLIN, EPOLLOUT, for a socket that is new, or in place of what was asked for before.
  void watch(int socket, std::uint32_t events);
  void forget(int socket);

  // What came first, or nothing after so many milliseconds (-1: never) or if it was woken.
  std::span<const epoll_event> wait(int timeout_ms);
  void wake() const;

 private:
  const int epoll_;
  const int wake_;
  std::array<epoll_event, 64> events_;
};

}  // namespace penstock::storage
