// penstock ladder: one job with one thing changed at a time, from the upper bound down.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "job_options.h"
#include "ladder_rungs.h"
#include "output.h"
#include "penstock/analyze/chart.h"
#include "source_argument.h"
#include "train_command.h"

namespace penstock::cli {
namespace {

using analyze::Ladder;
using analyze::Rung;

struct LadderCommand {
  std::vector<std::string> source;
  std::string transform = "train";
  std::uint64_t batch = 64;
  int threads = 0;
  int prefetch = 2;
  double seconds = 4;
  double step_ms = 0;
  std::string train_command;
  std::string html;
  bool is_json = false;
};

Result<LadderTask> make_task(const LadderCommand& command) {
  LadderTask task;
  task.transform = command.transform;
  task.job.source = parse_source_argument(command.source);
  task.job.inputs.progress = terminal_progress();
  task.job.ops = transform_ops(command.transform);
  task.job.is_shuffled = command.transform == "train";
  task.job.batch = command.batch;
  task.job.run.threads = command.threads;
  task.job.run.prefetch = command.prefetch;
  task.job.step_ms = command.step_ms;
  task.job.seconds = command.seconds;
  if (!command.train_command.empty()) {
    if (command.step_ms > 0) {
      return invalid_argument("--step-ms and --train-command both say how fast training is");
    }
    PENSTOCK_TRY_ASSIGN(const double rate, run_train_command(command.train_command));
    task.job.step_ms = 1000 * static_cast<double>(command.batch) / rate;
  }
  return task;
}

std::string change_text(const Ladder& ladder, std::size_t rung) {
  const auto change = ladder.change(rung);
  return change ? fmt::format("{:+.1f} %", 100 * *change) : "";
}

std::string against_text(const Rung& rung) {
  return rung.against ? fmt::format("{}", *rung.against + 1) : "";
}

std::string setting_text(const LadderTask& task) {
  std::string text = fmt::format("{} transform, batches of {}, prefetch {}", task.transform,
                                 task.job.batch, task.job.run.prefetch);
  if (task.job.step_ms > 0) text += fmt::format(", step of {:.1f} ms", task.job.step_ms);
  return text;
}

std::string stall_text(const analyze::Stalls& stalls) {
  return fmt::format(
      "From cold storage {:.1f} % of the time is fetch stall, {:.1f} % preparation "
      "stall.",
      100 * stalls.fetch, 100 * stalls.prepare);
}

void print_json(const LadderTask& task, const LadderResult& result) {
  nlohmann::ordered_json out = {{"transform", task.transform},
                                {"batch", task.job.batch},
                                {"prefetch", task.job.run.prefetch},
                                {"step_ms", task.job.step_ms},
                                {"cores", result.cores}};
  const Ladder& ladder = result.ladder;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    nlohmann::ordered_json row = {{"group", rung.group},
                                  {"name", rung.name},
                                  {"images_per_s", rung.images_per_s},
                                  {"share_of_bound", ladder.share_of_bound(i)}};
    if (rung.against) {
      row["against"] = ladder.rungs[*rung.against].name;
      row["change"] = *ladder.change(i);
      row["cause"] = rung.cause;
    }
    out["rungs"].push_back(std::move(row));
  }
  if (result.stalls) {
    out["stalls"] = {{"fetch", result.stalls->fetch},
                     {"prepare", result.stalls->prepare},
                     {"train", result.stalls->train}};
  }
  out["notes"] = result.notes;
  fmt::print("{}\n", out.dump(2));
}

void print_table(const LadderTask& task, const LadderResult& result) {
  const Ladder& ladder = result.ladder;
  fmt::print("{}, {} cores\n\n", setting_text(task), result.cores);
  fmt::print("{:>2} {:<18} {:>9} {:>8} {:>9} {:>2}  {}\n", "#", "rung", "images/s", "of bound",
             "change", "to", "cause");
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (i > 0 && rung.group != ladder.rungs[i - 1].group) fmt::print("\n");
    fmt::print("{:>2} {:<18} {:>9.0f} {:>6.1f} % {:>9} {:>2}  {}\n", i + 1, rung.name,
               rung.images_per_s, 100 * ladder.share_of_bound(i), change_text(ladder, i),
               against_text(rung), rung.cause);
  }
  if (result.stalls) fmt::print("\n{}\n", stall_text(*result.stalls));
  for (const std::string& note : result.notes) fmt::print("{}\n", note);
}

analyze::ReportTable rung_table(const Ladder& ladder) {
  analyze::ReportTable table{.head = {"rung", "images/s", "of bound", "change", "to", "cause"},
                             .rows = {},
                             .marked = {},
                             .words = 5};
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (rung.name == "as configured") table.marked = i;
    table.rows.push_back({fmt::format("{}. {}", i + 1, rung.name),
                          fmt::format("{:.0f}", rung.images_per_s),
                          fmt::format("{:.1f} %", 100 * ladder.share_of_bound(i)),
                          change_text(ladder, i), against_text(rung), rung.cause});
  }
  return table;
}

// The groups that answer one question each.
std::vector<analyze::Bar> rung_bars(const Ladder& ladder) {
  std::vector<analyze::Bar> bars;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const Rung& rung = ladder.rungs[i];
    if (rung.group == "threads") continue;
    analyze::Tone tone = analyze::Tone::kLoad;
    if (rung.group == "bound") tone = analyze::Tone::kStep;
    if (rung.name == "as configured") tone = analyze::Tone::kWait;
    bars.push_back({rung.name, rung.images_per_s, fmt::format("{:.0f}/s", rung.images_per_s), tone,
                    fmt::format("{}: {:.0f} images/s, {:.1f} % of the bound. {} {}", rung.name,
                                rung.images_per_s, 100 * ladder.share_of_bound(i),
                                change_text(ladder, i), rung.cause)});
  }
  return bars;
}

analyze::ReportSection thread_section(const LadderResult& result) {
  std::vector<analyze::Point> points;
  for (const Rung& rung : result.ladder.rungs) {
    if (rung.group != "threads") continue;
    points.push_back({rung.name, rung.images_per_s, fmt::format("{:.0f}", rung.images_per_s)});
  }
  return {.title = "Threads",
          .text = fmt::format("Images/s by number of threads that decode, on {} cores. Of more "
                              "threads than cores the surplus rests.",
                              result.cores),
          .chart = analyze::line_chart(points),
          .table = {}};
}

analyze::ReportSection stall_section(const analyze::Stalls& stalls) {
  const auto bar = [](const char* name, double share, analyze::Tone tone) {
    return analyze::Bar{name, 100 * share, fmt::format("{:.1f} %", 100 * share), tone, {}};
  };
  return {.title = "Stalls from cold storage",
          .text =
              "Fetch: what an empty page cache adds. Preparation: what reading from memory, "
              "decoding and transforming add to the bound. The rest is the bound itself.",
          .chart = analyze::bar_chart({bar("fetch", stalls.fetch, analyze::Tone::kWait),
                                       bar("preparation", stalls.prepare, analyze::Tone::kWait),
                                       bar("bound", stalls.train, analyze::Tone::kStep)},
                                      100),
          .table = {}};
}

analyze::Report make_report(const LadderCommand& command, const LadderTask& task,
                            const LadderResult& result) {
  const Ladder& ladder = result.ladder;
  const Rung& configured = ladder.rungs[1];
  analyze::Report report{
      .title = fmt::format("Ladder of {}", command.source[0]),
      .summary = fmt::format("The job reaches {:.1f} % of its upper bound: {}, {} cores.",
                             100 * ladder.share_of_bound(1), setting_text(task), result.cores),
      .headlines = {{"as configured", fmt::format("{:.0f}/s", configured.images_per_s), "images"},
                    {"upper bound", fmt::format("{:.0f}/s", ladder.rungs[0].images_per_s),
                     "synthetic images"},
                    {"of the bound", fmt::format("{:.1f} %", 100 * ladder.share_of_bound(1)),
                     "as configured"}},
      .sections = {}};
  if (result.stalls) {
    report.headlines.push_back({"stalls, cold",
                                fmt::format("{:.0f} % + {:.0f} %", 100 * result.stalls->fetch,
                                            100 * result.stalls->prepare),
                                "fetch + preparation"});
  }
  report.sections.push_back({.title = "Rungs",
                             .text = "Green is the bound, red the job as it is configured.",
                             .chart = analyze::bar_chart(rung_bars(ladder)),
                             .table = {}});
  report.sections.push_back(thread_section(result));
  if (result.stalls) report.sections.push_back(stall_section(*result.stalls));
  report.sections.push_back({.title = "Each difference has one cause",
                             .text = "Change is against the rung whose number stands under \"to\".",
                             .chart = {},
                             .table = rung_table(ladder)});
  return report;
}

Status ladder(const LadderCommand& command) {
  PENSTOCK_TRY_ASSIGN(LadderTask task, make_task(command));
  std::optional<StatusLine> line(std::in_place);
  task.progress = [&](const std::string& rung) { line->show(rung); };
  PENSTOCK_TRY_ASSIGN(const LadderResult result, climb(task));
  line.reset();
  if (command.is_json) {
    print_json(task, result);
  } else {
    print_table(task, result);
  }
  return write_page(command.html, make_report(command, task, result));
}

void add_trainer_options(CLI::App& app, LadderCommand& command) {
  app.add_option("--step-ms", command.step_ms, "A trainer that sleeps so long for each batch")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option(
      "--train-command", command.train_command,
      "A command that trains with synthetic data and prints images/s as its last number: "
      "the trainer sleeps as long as that takes for a batch");
}

}  // namespace

Action define_ladder(CLI::App& app) {
  auto command = std::make_shared<LadderCommand>();
  app.add_option("source", command->source, kSourceHelp)->required();
  add_trainer_options(app, *command);
  add_transform_option(app, command->transform, "As of penstock bench");
  add_threads_option(app, command->threads);
  add_batch_option(app, command->batch);
  add_prefetch_option(app, command->prefetch);
  add_seconds_option(app, command->seconds, "How long to measure each rung, in five turns");
  app.add_option("--html", command->html, kHtmlHelp);
  app.add_flag("--json", command->is_json, "Print JSON");
  app.footer(
      "Copies in other formats are made in $TMPDIR and removed. The cold rung asks the system to\n"
      "forget the source's files.\n"
      "Example: penstock ladder photos/ --step-ms 30 --html ladder.html");
  return [command] { return ladder(*command); };
}

}  // namespace penstock::cli
