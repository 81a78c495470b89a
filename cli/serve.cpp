// penstock serve: runs a source without end and shows it on a page in the browser.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>

#include "clock.h"
#include "commands.h"
#include "job_options.h"
#include "measure.h"
#include "penstock/pipeline/plan.h"
#include "penstock/serve/board.h"
#include "penstock/serve/server.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

// Within such a time Ctrl-C is seen.
constexpr std::chrono::milliseconds kPatience(100);

volatile std::sig_atomic_t is_interrupted = 0;
void interrupt(int) { is_interrupted = 1; }

struct ServeOptions {
  std::vector<std::string> source;
  std::string transform = "train";
  int threads = 0;
  std::uint64_t batch = 64;
  double step_ms = 0;
  serve::ServerOptions server;
};

Result<std::shared_ptr<deliver::Run>> start_run(const ServeOptions& options) {
  const Job job{.source = parse_source_argument(options.source),
                .inputs = {.progress = terminal_progress()},
                .ops = transform_ops(options.transform),
                .is_shuffled = options.transform == "train",
                .batch = options.batch,
                .run = {.threads = options.threads,
                        .tunes_threads = options.threads == 0,
                        .tunes_prefetch = true}};
  PENSTOCK_TRY_ASSIGN(const pipeline::Spec spec, job_spec(job));
  PENSTOCK_TRY_ASSIGN(auto plan, pipeline::make_plan(spec, {.source = job.inputs}));
  PENSTOCK_TRY_ASSIGN(auto run, deliver::Run::start(std::move(plan), job.run));
  return std::shared_ptr<deliver::Run>(std::move(run));
}

// What a trainer does with a batch: nothing, for so long.
void step(double step_ms) {
  const auto began = Clock::now();
  const std::chrono::duration<double, std::milli> whole(step_ms);
  while (is_interrupted == 0 && Clock::now() - began < whole) {
    const auto left = whole - (Clock::now() - began);
    std::this_thread::sleep_for(
        std::min<std::chrono::duration<double, std::milli>>(left, kPatience));
  }
}

Status serve_source(const ServeOptions& options) {
  PENSTOCK_TRY_ASSIGN(const auto run, start_run(options));
  const auto board = std::make_shared<serve::Board>();
  PENSTOCK_TRY_ASSIGN(const auto server, serve::Server::start(board, options.server));
  board->attach(run);
  std::signal(SIGINT, &interrupt);
  std::signal(SIGTERM, &interrupt);
  fmt::print("{}  (Ctrl-C ends it)\n", server->url());
  std::fflush(stdout);
  while (is_interrupted == 0) {
    const auto batch = run->next_within(kPatience);
    if (!batch) continue;
    if (!batch->ok()) return batch->status();
    board->show(***batch);
    step(options.step_ms);
  }
  return {};
}

}  // namespace

Action define_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  add_transform_option(app, options->transform);
  add_threads_option(app, options->threads, "Threads that decode; 0: as many as it takes");
  add_batch_option(app, options->batch);
  app.add_option("--step-ms", options->step_ms, "What a trainer would take for each batch")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--port", options->server.port, "To listen on; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--host", options->server.host,
                 "Address to listen on; who reaches it sees the samples")
      ->capture_default_str();
  app.footer("Example: penstock serve photos/ --step-ms 50 --port 8080");
  return [options] { return serve_source(*options); };
}

}  // namespace penstock::cli
