// The page of a loader: its server, and what it is told.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>

#include "bindings.h"
#include "penstock/serve/board.h"
#include "penstock/serve/server.h"

namespace penstock::python {
namespace {

// A board with its server, until that is closed.
struct PageServer {
  PageServer() = default;
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer() { close(); }

  // Without Python's lock: a request may be the one to end a run, which needs it.
  void close() {
    const nb::gil_scoped_release unlocked;
    server.reset();
  }

  std::shared_ptr<serve::Board> board;
  std::unique_ptr<serve::Server> server;
  std::string url;
};

std::unique_ptr<PageServer> start_page(std::string host, int port) {
  auto page = std::make_unique<PageServer>();
  page->board = std::make_shared<serve::Board>();
  auto server = [&] {
    const nb::gil_scoped_release unlocked;
    return serve::Server::start(page->board, {.host = std::move(host), .port = port});
  }();
  page->server = check(std::move(server));
  page->url = page->server->url();
  return page;
}

}  // namespace

// Without Python's lock: a request that holds the board may be the one to end a run.
void bind_serve(nb::module_& m) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<PageServer>(m, "PageServer", "Serves the page of a loader.")
      .def_ro("url", &PageServer::url)
      .def(
          "attach",
          [](PageServer& page, const std::shared_ptr<deliver::Run>& run) {
            page.board->attach(run);
          },
          nb::arg("run"), Unlocked())
      .def(
          "detach", [](PageServer& page) { page.board->detach(); }, Unlocked())
      .def(
          "show", [](PageServer& page, const batch::Batch& batch) { page.board->show(batch); },
          nb::arg("batch"), Unlocked())
      .def("close", &PageServer::close);
  m.def("start_page", &start_page, nb::arg("host"), nb::arg("port"));
}

}  // namespace penstock::python
