// epoll, with an eventfd to wake it.
#include "penstock/storage/http/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace penstock::storage {

Poller::Poller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (is_open()) watch(wake_, EPOLLIN);
}

Poller::~Poller() {
  if (epoll_ >= 0) close(epoll_);
  if (wake_ >= 0) close(wake_);
}

void Poller::watch(int socket, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = socket}};
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0 || errno != EEXIST) return;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
}

void Poller::forget(int socket) { epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr); }

std::span<const epoll_event> Poller::wait(int timeout_ms) {
  const int num_events =
      epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
  const auto end = events_.begin() + std::max(num_events, 0);
  const auto woken = std::find_if(events_.begin(), end,
                                  [&](const epoll_event& event) { return event.data.fd == wake_; });
  if (woken == end) return {events_.begin(), end};
  eventfd_t count;
  eventfd_read(wake_, &count);
  std::swap(*woken, *(end - 1));
  return {events_.begin(), end - 1};
}

void Poller::wake() const { eventfd_write(wake_, 1); }

}  // namespace penstock::storage
