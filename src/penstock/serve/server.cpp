// HTTP on top of cpp-httplib.
#include "penstock/serve/server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "penstock/base/text.h"
#include "penstock/serve/page.h"

namespace penstock::serve {
namespace {

using httplib::Request;
using httplib::Response;

// A browser opens a few connections, and leaves some unused.
constexpr std::size_t kNumThreads = 4;
// A connection on which nothing comes keeps its thread so long, also when the server ends.
constexpr time_t kPatienceS = 1;
constexpr std::chrono::milliseconds kStartInterval(1);

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

// "localhost:8080" -> "localhost", "[::1]:8080" -> "[::1]".
std::string_view without_port(std::string_view host) {
  const auto colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  return has_port ? host.substr(0, colon) : host;
}

std::string url_of(const std::string& host, int port) {
  std::string name = host;
  if (host == "0.0.0.0" || host == "::") {
    std::array<char, 256> own{};
    name = gethostname(own.data(), own.size() - 1) == 0 ? own.data() : "localhost";
  } else if (host.find(':') != host.npos) {
    name = concat('[', host, ']');
  }
  return concat("http://", name, ':', port, '/');
}

// As it is: a browser asks for compression, which on the way through one machine only takes time.
void answer(Response& response, std::string body, const char* type) {
  response.set_header("Cache-Control", "no-store");
  const std::size_t size = body.size();
  if (size == 0) return response.set_content("", type);
  response.set_content_provider(
      size, type,
      [body = std::move(body)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(body.data() + offset, length);
      });
}

void only_own_port(socket_t socket) {
  // Not SO_REUSEPORT, the library's choice, with which two servers may share a port.
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

httplib::Server::HandlerResponse refuse_strangers(const Request& request, Response& response) {
  const std::string host = request.get_header_value("Host");
  if (is_loopback(without_port(host))) return httplib::Server::HandlerResponse::Unhandled;
  response.status = 403;
  response.set_content(concat("asked for host ", host, ", expected localhost\n"), "text/plain");
  return httplib::Server::HandlerResponse::Handled;
}

void add_routes(httplib::Server& http, const std::shared_ptr<Board>& board) {
  http.Get("/", [](const Request&, Response& response) {
    answer(response, std::string(page_html()), "text/html; charset=utf-8");
  });
  http.Get("/live.json", [board](const Request&, Response& response) {
    answer(response, board->live_json(), "application/json");
  });
  http.Get("/samples.bmp", [board](const Request&, Response& response) {
    std::string bmp = board->samples_bmp();
    if (bmp.empty()) {
      response.status = 404;
      return;
    }
    answer(response, std::move(bmp), "image/bmp");
  });
  http.Get("/metrics", [board](const Request&, Response& response) {
    answer(response, board->metrics_text(), "text/plain; version=0.0.4; charset=utf-8");
  });
}

}  // namespace

struct Server::Listener {
  httplib::Server http;
  std::atomic<bool> has_ended = false;
  std::jthread thread;

  // Returns when it runs, because before it cannot be stopped.
  void listen() {
    thread = std::jthread([this] {
      http.listen_after_bind();
      has_ended = true;
    });
    while (!http.is_running() && !has_ended) std::this_thread::sleep_for(kStartInterval);
  }

  ~Listener() { http.stop(); }
};

Result<std::unique_ptr<Server>> Server::start(const std::shared_ptr<Board>& board,
                                              const ServerOptions& options) {
  if (options.port < 0 || options.port > 65535) {
    return invalid_argument("port is ", options.port, ", expected 0 to 65535");
  }
  auto listener = std::make_unique<Listener>();
  httplib::Server& http = listener->http;
  http.new_task_queue = [] { return new httplib::ThreadPool(kNumThreads); };
  http.set_socket_options(&only_own_port);
  http.set_keep_alive_max_count(1);
  http.set_keep_alive_timeout(kPatienceS);
  http.set_read_timeout(kPatienceS);
  http.set_write_timeout(kPatienceS);
  if (is_loopback(options.host)) http.set_pre_routing_handler(&refuse_strangers);
  add_routes(http, board);

  int port = options.port;
  if (port == 0) {
    port = http.bind_to_any_port(options.host);
  } else if (!http.bind_to_port(options.host, port)) {
    port = -1;
  }
  if (port < 0) {
    return io_error("cannot listen on ", options.host, " port ", options.port,
                    ": in use, or no address of this machine");
  }
  listener->listen();
  return std::unique_ptr<Server>(new Server(std::move(listener), url_of(options.host, port)));
}

Server::Server(std::unique_ptr<Listener> listener, std::string url)
    : listener_(std::move(listener)), url_(std::move(url)) {}

Server::~Server() = default;

}  // namespace penstock::serve
