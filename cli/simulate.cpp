// penstock simulate: life of a batch, from load time and step time to who waits for whom.
#include "penstock/analyze/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "job_options.h"
#include "measure.h"
#include "output.h"
#include "penstock/analyze/chart.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

using analyze::Simulation;

// Workers that are just enough are too few on a slower day.
constexpr int kSlowerPercent = 10;

struct SimulateCommand {
  analyze::SimulateOptions options;
  double load_ms = 100;
  std::vector<std::string> source;
  std::string transform = "train";
  std::uint64_t batch = 64;
  double seconds = 3;
  std::string svg;
  std::string html;
  bool is_json = false;
};

// One number of workers, and what comes of it.
struct Attempt {
  std::uint32_t workers = 0;
  double utilisation = 0;
  double total_ms = 0;
};

struct SimulateResult {
  Simulation simulation;
  Simulation slower;  // if loads took kSlowerPercent longer
  std::optional<std::uint32_t> workers_needed;
  std::vector<Attempt> attempts;
};

// The times that one thread takes for each batch, which is what a worker does.
Result<std::vector<double>> measure_loads(const SimulateCommand& command) {
  const Job job{.source = parse_source_argument(command.source),
                .inputs = {.progress = terminal_progress()},
                .ops = transform_ops(command.transform),
                .is_shuffled = command.transform == "train",
                .batch = command.batch,
                .run = {.threads = 1, .prefetch = 0},
                .seconds = command.seconds};
  PENSTOCK_TRY_ASSIGN(const Measurement measured, measure(job));
  return measured.batch_ms;
}

// 1, 2, 4, ... and the numbers asked for and needed.
std::vector<std::uint32_t> worker_counts(const SimulateCommand& command,
                                         std::optional<std::uint32_t> needed) {
  const std::uint32_t most = std::max(command.options.workers, needed.value_or(64));
  std::vector<std::uint32_t> counts = {command.options.workers, most};
  for (std::uint32_t workers = 1; workers < most; workers *= 2) counts.push_back(workers);
  std::ranges::sort(counts);
  const auto repeated = std::ranges::unique(counts);
  counts.erase(repeated.begin(), repeated.end());
  return counts;
}

Result<SimulateResult> run_simulation(const SimulateCommand& command) {
  SimulateResult result;
  PENSTOCK_TRY_ASSIGN(result.simulation, analyze::simulate(command.options));
  PENSTOCK_TRY_ASSIGN(result.workers_needed, analyze::workers_without_waiting(command.options));
  analyze::SimulateOptions tried = command.options;
  for (double& load_ms : tried.loads_ms) load_ms *= 1 + 0.01 * kSlowerPercent;
  PENSTOCK_TRY_ASSIGN(result.slower, analyze::simulate(tried));
  tried = command.options;
  for (const std::uint32_t workers : worker_counts(command, result.workers_needed)) {
    tried.workers = workers;
    PENSTOCK_TRY_ASSIGN(const Simulation simulation, analyze::simulate(tried));
    result.attempts.push_back({workers, simulation.utilisation(), simulation.total_ms});
  }
  return result;
}

double mean_load_ms(const analyze::SimulateOptions& options) {
  return std::accumulate(options.loads_ms.begin(), options.loads_ms.end(), 0.0) /
         static_cast<double>(options.loads_ms.size());
}

std::string time_text(double ms) {
  if (ms < 1000) return fmt::format("{:.1f} ms", ms);
  if (ms < 600'000) return fmt::format("{:.2f} s", ms / 1000);
  return fmt::format("{:.1f} min", ms / 60'000);
}

std::string setting_text(const SimulateCommand& command) {
  const analyze::SimulateOptions& options = command.options;
  return fmt::format("{} worker{}, {} accelerator{}, load {:.1f} ms, step {:.1f} ms, prefetch {}",
                     options.workers, options.workers == 1 ? "" : "s", options.accelerators,
                     options.accelerators == 1 ? "" : "s", mean_load_ms(options), options.step_ms,
                     options.most_outstanding());
}

std::string needed_text(const SimulateResult& result) {
  return result.workers_needed ? fmt::format("{}", *result.workers_needed) : "none";
}

std::string waits_text(const Simulation& simulation) {
  if (simulation.stall_ms == 0) return "none";
  const auto period = analyze::wait_period(simulation);
  if (!period) return "no pattern";
  return *period == 1 ? "at every step" : fmt::format("at 1 step of {}", *period);
}

nlohmann::ordered_json waits_json(const Simulation& simulation) {
  nlohmann::ordered_json out = {{"total_ms", simulation.total_ms},
                                {"first_wait_ms", simulation.first_wait_ms},
                                {"stall_ms", simulation.stall_ms},
                                {"utilisation", simulation.utilisation()},
                                {"wait_period", nullptr}};
  if (const auto period = analyze::wait_period(simulation)) out["wait_period"] = *period;
  return out;
}

void print_json(const SimulateCommand& command, const SimulateResult& result) {
  const Simulation& simulation = result.simulation;
  nlohmann::ordered_json out = {{"workers", command.options.workers},
                                {"accelerators", command.options.accelerators},
                                {"load_ms", mean_load_ms(command.options)},
                                {"step_ms", command.options.step_ms},
                                {"prefetch", command.options.most_outstanding()},
                                {"steps", simulation.steps}};
  out.update(waits_json(simulation));
  out["if_loads_are_slower"] = waits_json(result.slower);
  out["if_loads_are_slower"]["percent"] = kSlowerPercent;
  out["workers_without_waiting"] = nullptr;
  if (result.workers_needed) out["workers_without_waiting"] = *result.workers_needed;
  for (const Attempt& attempt : result.attempts) {
    out["by_workers"].push_back({{"workers", attempt.workers},
                                 {"utilisation", attempt.utilisation},
                                 {"total_ms", attempt.total_ms}});
  }
  for (const analyze::SimulatedBatch& batch : simulation.batches) {
    out["batches"].push_back({{"worker", batch.worker},
                              {"accelerator", batch.accelerator},
                              {"load_begin_ms", batch.load_begin_ms},
                              {"load_end_ms", batch.load_end_ms},
                              {"wait_ms", batch.wait_ms},
                              {"step_begin_ms", batch.step_begin_ms},
                              {"step_end_ms", batch.step_end_ms}});
  }
  fmt::print("{}\n", out.dump(2));
}

// The first steps, as a log of a trainer has them.
void print_steps(const SimulateCommand& command, const Simulation& simulation) {
  constexpr std::uint64_t kShown = 12;
  const std::uint64_t accelerators = command.options.accelerators;
  fmt::print("\n  step     wait ms   wait and step ms\n");
  for (std::uint64_t step = 0; step < std::min(simulation.steps, kShown); ++step) {
    const double wait_ms = simulation.batches[(step + 1) * accelerators - 1].wait_ms;
    fmt::print("  {:>4}  {:>10.1f}   {:>16.1f}\n", step, wait_ms,
               wait_ms + command.options.step_ms);
  }
}

void print_table(const SimulateCommand& command, const SimulateResult& result) {
  const Simulation& simulation = result.simulation;
  fmt::print("{}\n\n", setting_text(command));
  fmt::print("  steps                     {:>12}\n", simulation.steps);
  fmt::print("  total                     {:>12}\n", time_text(simulation.total_ms));
  fmt::print("  until the first step      {:>12}\n", time_text(simulation.first_wait_ms));
  fmt::print("  wasted waiting later      {:>12}\n", time_text(simulation.stall_ms));
  fmt::print("  utilisation               {:>10.1f} %\n", 100 * simulation.utilisation());
  fmt::print("  long waits                {:>12}\n", waits_text(simulation));
  fmt::print("  workers to end waiting    {:>12}\n", needed_text(result));
  fmt::print("  if loads took {} % longer\n", kSlowerPercent);
  fmt::print("    utilisation             {:>10.1f} %\n", 100 * result.slower.utilisation());
  fmt::print("    long waits              {:>12}\n", waits_text(result.slower));
  print_steps(command, simulation);
  fmt::print("\n  workers  utilisation         total\n");
  for (const Attempt& attempt : result.attempts) {
    fmt::print("  {:>7}  {:>9.1f} %  {:>12}{}\n", attempt.workers, 100 * attempt.utilisation,
               time_text(attempt.total_ms),
               attempt.workers == command.options.workers ? "  <- asked for" : "");
  }
}

constexpr std::uint32_t kDrawnWorkers = 32;
constexpr std::uint32_t kDrawnAccelerators = 8;

// Accelerators have the rows below `num_workers`.
void add_spans(analyze::Timeline& timeline, const analyze::SimulatedBatch& batch,
               std::uint64_t number, std::size_t num_workers) {
  if (batch.worker < num_workers) {
    const double took_ms = batch.load_end_ms - batch.load_begin_ms;
    timeline.spans.push_back({batch.worker, batch.load_begin_ms, batch.load_end_ms,
                              analyze::Tone::kLoad,
                              fmt::format("load batch {}: {:.1f} ms", number, took_ms)});
  }
  const std::size_t row = num_workers + batch.accelerator;
  if (row >= timeline.rows.size()) return;
  const double waited_ms = batch.step_begin_ms - batch.free_ms;
  if (waited_ms > 0) {
    timeline.spans.push_back({row, batch.free_ms, batch.step_begin_ms, analyze::Tone::kWait,
                              fmt::format("wait for batch {}: {:.1f} ms", number, waited_ms)});
  }
  const double step_ms = batch.step_end_ms - batch.step_begin_ms;
  timeline.spans.push_back({row, batch.step_begin_ms, batch.step_end_ms, analyze::Tone::kStep,
                            fmt::format("step with batch {}: {:.1f} ms", number, step_ms)});
}

// Of the first batches, workers and accelerators, as many as can be told apart.
std::string draw_timeline(const SimulateCommand& command, const Simulation& simulation) {
  const std::uint32_t workers = std::min(command.options.workers, kDrawnWorkers);
  const std::uint32_t accelerators = std::min(command.options.accelerators, kDrawnAccelerators);
  analyze::Timeline timeline;
  for (std::uint32_t i = 0; i < workers; ++i) timeline.rows.push_back(fmt::format("worker {}", i));
  for (std::uint32_t i = 0; i < accelerators; ++i) {
    timeline.rows.push_back(fmt::format("accelerator {}", i));
  }
  const std::size_t shown = std::min(
      simulation.batches.size(),
      std::max<std::size_t>({16, 4 * command.options.workers, 4 * command.options.accelerators}));
  for (std::size_t i = 0; i < shown; ++i) add_spans(timeline, simulation.batches[i], i, workers);
  return analyze::timeline_chart(timeline);
}

analyze::ReportSection worker_section(const SimulateCommand& command,
                                      const SimulateResult& result) {
  std::vector<analyze::Point> points;
  analyze::ReportTable table{
      .head = {"workers", "utilisation", "total"}, .rows = {}, .marked = {}, .words = {}};
  for (const Attempt& attempt : result.attempts) {
    if (attempt.workers == command.options.workers) table.marked = table.rows.size();
    const std::string percent = fmt::format("{:.0f} %", 100 * attempt.utilisation);
    points.push_back({fmt::format("{}", attempt.workers), attempt.utilisation, percent});
    table.rows.push_back(
        {fmt::format("{}", attempt.workers), percent, time_text(attempt.total_ms)});
  }
  return {.title = "More workers, fewer workers",
          .text = "Utilisation of the accelerators by number of workers.",
          .chart = analyze::line_chart(points, 1, "no waiting"),
          .table = std::move(table)};
}

analyze::Report make_report(const SimulateCommand& command, const SimulateResult& result) {
  const Simulation& simulation = result.simulation;
  return {
      .title = "Life of a batch",
      .summary = setting_text(command) + ".",
      .headlines = {{"utilisation", fmt::format("{:.1f} %", 100 * simulation.utilisation()),
                     "of the accelerators"},
                    {"wasted waiting", time_text(simulation.stall_ms),
                     fmt::format("in {} steps", simulation.steps)},
                    {"long waits", waits_text(simulation),
                     fmt::format("if loads took {} % longer: {}", kSlowerPercent,
                                 waits_text(result.slower))},
                    {"workers to end waiting", needed_text(result),
                     fmt::format("asked for: {}", command.options.workers)}},
      .sections = {{.title = "The first batches",
                    .text = "Blue: a worker loads a batch. Green: an accelerator steps. Red: it "
                            "waits.",
                    .chart = draw_timeline(command, simulation),
                    .table = {}},
                   worker_section(command, result)}};
}

Status simulate(SimulateCommand command) {
  command.options.loads_ms = {command.load_ms};
  if (!command.source.empty()) {
    StatusLine line(command.seconds < 1 ? 1 : 0);
    line.show("measuring load times");
    PENSTOCK_TRY_ASSIGN(command.options.loads_ms, measure_loads(command));
  }
  PENSTOCK_TRY_ASSIGN(const SimulateResult result, run_simulation(command));
  if (command.is_json) {
    print_json(command, result);
  } else {
    print_table(command, result);
  }
  if (!command.svg.empty()) {
    const std::string chart = draw_timeline(command, result.simulation);
    PENSTOCK_TRY(write_text_file(command.svg, analyze::svg_file(chart)));
  }
  return write_page(command.html, make_report(command, result));
}

void add_source_options(CLI::App& app, SimulateCommand& command) {
  app.add_option("--source", command.source,
                 "Measure load times here instead: those of batches of this source on one thread");
  add_transform_option(app, command.transform, "For --source, as of penstock bench");
  add_batch_option(app, command.batch, "For --source: samples in a batch");
  add_seconds_option(app, command.seconds, "For --source: how long to measure");
}

}  // namespace

Action define_simulate(CLI::App& app) {
  auto command = std::make_shared<SimulateCommand>();
  analyze::SimulateOptions& options = command->options;
  app.add_option("--workers", options.workers, "Workers; each loads whole batches")
      ->capture_default_str();
  app.add_option("--accelerators", options.accelerators,
                 "Accelerators; in a step each takes one batch, and they wait for each other")
      ->capture_default_str();
  app.add_option("--load-ms", command->load_ms, "Time a worker takes for a batch")
      ->capture_default_str();
  app.add_option("--step-ms", options.step_ms, "Time of a step")->capture_default_str();
  app.add_option("--prefetch", options.prefetch,
                 "Batches loaded or being loaded ahead; 0: two for each worker")
      ->capture_default_str();
  app.add_option("--batches", options.batches, "Batches of an epoch")->capture_default_str();
  app.add_option("--jitter", options.jitter,
                 "Standard deviation of load times as a share of them, like 0.2")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of the jitter")->capture_default_str();
  add_source_options(app, *command);
  app.add_option("--svg", command->svg, "Also draw the timeline of the first batches");
  app.add_option("--html", command->html, kHtmlHelp);
  app.add_flag("--json", command->is_json, "Print JSON, with every batch");
  app.footer(
      "Batches go to workers in turn and come in order, as in PyTorch's DataLoader.\n"
      "Example: penstock simulate --workers 4 --load-ms 1160 --step-ms 40 --html life.html");
  return [command] { return simulate(*command); };
}

}  // namespace penstock::cli
