// A small web server for one board.
#pragma once

#include <memory>
#include <string>

#include "penstock/base/result.h"
#include "penstock/serve/board.h"

namespace penstock::serve {

struct ServerOptions {
  // Who listens on another address than a loopback one shows the samples to the network.
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
};

// Answers until it is destroyed, which takes a second at most: /, /live.json, /samples.bmp and
// /metrics. On a loopback address it answers only requests to a name of this machine, so that no
// page from elsewhere can read it.
class Server {
 public:
  static Result<std::unique_ptr<Server>> start(const std::shared_ptr<Board>& board,
                                               const ServerOptions& options);
  ~Server();

  // Where the page is: "http://127.0.0.1:41234/".
  const std::string& url() const { return url_; }

 private:
  struct Listener;
  Server(std::unique_ptr<Listener> listener, std::string url);

  std::unique_ptr<Listener> listener_;
  std::string url_;
};

}  // namespace penstock::serve
