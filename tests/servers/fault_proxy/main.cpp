// A reverse proxy for HTTP/1.1 that does to requests what networks and servers do on bad days.
// One thread; prints the port it listens on, then serves until SIGTERM.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "options.h"
#include "session.h"

namespace penstock::fault_proxy {
namespace {

// In epoll's data: sessions have numbers from kFirstSession, shifted, with the side in the last
// bit.
constexpr std::uint64_t kListener = 0;
constexpr std::uint64_t kSignals = 1;
constexpr std::uint64_t kFirstSession = 1;

// With --rate, bytes that may be sent at once after a pause, in seconds of the rate.
constexpr double kBurstSeconds = 0.02;

int checked(int result, const char* what) {
  if (result >= 0) return result;
  std::perror(what);
  std::exit(1);
}

// A session takes up to six descriptors: more than 1024 in all are soon needed.
void allow_many_descriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void send_at_once(int socket) {
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

class Proxy {
 public:
  explicit Proxy(const Options& options) : shared_{.options = options} {
    epoll_ = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) sigaddset(&signals, number);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_ = checked(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd");
    watch(signals_, EPOLLIN, kSignals);
    bind_port();
    come_back();
  }

  void serve() {
    while (!ends_) {
      std::array<epoll_event, 256> events;
      const int count = epoll_wait(epoll_, events.data(), events.size(), timeout_ms());
      now_ = Clock::now();
      refill();
      for (int i = 0; i < count; ++i) handle(events[i]);
      wake();
    }
  }

  void print_port() const {
    std::printf("%d\n", shared_.options.port);
    std::fflush(stdout);
  }

  void print_summary() const {
    std::string faults;
    for (std::size_t fault = 0; fault < kNumFaults; ++fault) {
      faults += (fault == 0 ? "\"" : ", \"") + std::string(kFaultNames[fault]) +
                "\": " + std::to_string(shared_.faults[fault]);
    }
    std::printf(
        "{\"requests\": %llu, \"faults\": {%s}, \"bytes\": %llu, \"most_connections\": %zu}\n",
        static_cast<unsigned long long>(shared_.requests), faults.c_str(),
        static_cast<unsigned long long>(shared_.bytes), most_connections_);
  }

 private:
  using Wake = std::pair<Clock::time_point, std::uint64_t>;

  void watch(int descriptor, std::uint32_t events, std::uint64_t data) {
    epoll_event event{.events = events, .data = {.u64 = data}};
    checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
  }

  // A socket that is bound and does not listen keeps the port and refuses connections.
  void bind_port() {
    constexpr int kKind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    listener_ = checked(socket(AF_INET, kKind, 0), "socket");
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(shared_.options.port);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    checked(bind(listener_, generic, size), "bind");
    checked(getsockname(listener_, generic, &size), "getsockname");
    shared_.options.port = ntohs(address.sin_port);
  }

  void come_back() {
    if (!std::exchange(is_away_, false)) return;
    checked(listen(listener_, SOMAXCONN), "listen");
    watch(listener_, EPOLLIN, kListener);
  }

  void go_away() {
    if (std::exchange(is_away_, true)) return;
    close(listener_);
    bind_port();
    for (auto& [number, session] : sessions_) session->close_reset();
    sessions_.clear();
  }

  void handle(const epoll_event& event) {
    if (event.data.u64 == kListener) {
      accept_all();
    } else if (event.data.u64 == kSignals) {
      read_signals();
    } else {
      const auto found = sessions_.find(event.data.u64 >> 1);
      if (found == sessions_.end()) return;
      const bool is_client = (event.data.u64 & 1) == 0;
      const bool has_left = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
      if (has_left && is_client) found->second->client_has_left();
      if (has_left && !is_client) found->second->upstream_has_ended();
      advance(found->first);
    }
  }

  void read_signals() {
    signalfd_siginfo signal;
    while (read(signals_, &signal, sizeof(signal)) == sizeof(signal)) {
      if (signal.ssi_signo == SIGUSR1) {
        go_away();
      } else if (signal.ssi_signo == SIGUSR2) {
        come_back();
      } else {
        ends_ = true;
      }
    }
  }

  void accept_all() {
    while (!is_away_) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (client < 0) return;
      const int upstream =
          checked(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "socket");
      send_at_once(client);
      send_at_once(upstream);
      connect(upstream, reinterpret_cast<const sockaddr*>(&shared_.options.upstream),
              sizeof(shared_.options.upstream));
      const std::uint64_t number = next_session_++;
      constexpr std::uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
      watch(client, kEvents, number << 1);
      watch(upstream, kEvents, number << 1 | 1);
      sessions_.emplace(number, std::make_unique<Session>(shared_, client, upstream));
      most_connections_ = std::max(most_connections_, sessions_.size());
    }
  }

  void advance(std::uint64_t number) {
    const auto found = sessions_.find(number);
    if (found == sessions_.end()) return;
    const Clock::time_point waited_for = found->second->wake_at();
    const Session::State state = found->second->advance(now_);
    if (state == Session::State::kClosed) {
      sessions_.erase(found);
      return;
    }
    if (state == Session::State::kBusy) wakes_.emplace(now_, number);
    const Clock::time_point waits_for = found->second->wake_at();
    if (waits_for != waited_for) wakes_.emplace(waits_for, number);
  }

  void wake() {
    // Those that are busy come again in the next round, after the sockets were asked.
    std::vector<std::uint64_t> due;
    while (!wakes_.empty() && wakes_.top().first <= now_) {
      due.push_back(wakes_.top().second);
      wakes_.pop();
    }
    for (const std::uint64_t number : due) advance(number);
  }

  int timeout_ms() const {
    if (wakes_.empty()) return -1;
    const auto wait =
        std::chrono::ceil<std::chrono::milliseconds>(wakes_.top().first - Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
  }

  void refill() {
    const double rate = shared_.options.rate;
    const double seconds = std::chrono::duration<double>(now_ - refilled_).count();
    shared_.tokens = std::min(shared_.tokens + rate * seconds, std::max(1.0, rate * kBurstSeconds));
    refilled_ = now_;
  }

  Shared shared_;
  int epoll_ = -1;
  int signals_ = -1;
  int listener_ = -1;
  bool is_away_ = true;
  bool ends_ = false;
  Clock::time_point now_ = Clock::now();
  Clock::time_point refilled_ = now_;
  std::uint64_t next_session_ = kFirstSession;
  std::size_t most_connections_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Session>> sessions_;
  std::priority_queue<Wake, std::vector<Wake>, std::greater<>> wakes_;
};

}  // namespace
}  // namespace penstock::fault_proxy

int main(int count, char** arguments) {
  using namespace penstock::fault_proxy;
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_descriptors();
  Proxy proxy(parse_options(count, arguments));
  proxy.print_port();
  proxy.serve();
  proxy.print_summary();
}
