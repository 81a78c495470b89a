// penstock plan: how many drives, network cards and cores feed so many accelerators.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "measure.h"
#include "output.h"
#include "page_cache.h"
#include "penstock/analyze/capacity.h"
#include "penstock/analyze/chart.h"
#include "penstock/base/fields.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

using analyze::CapacityPlan;
using analyze::Hop;

struct PlanCommand {
  std::uint64_t accelerators = 8;
  std::string storage = "ssd";
  bool stores_tensors = false;
  std::optional<double> bytes_gbs;  // tensors that one accelerator takes
  std::optional<double> rate;       // images that one accelerator takes in a second
  std::optional<double> image_kb;
  std::optional<double> drive;
  std::optional<double> network_card;
  std::optional<double> core_in;
  std::optional<double> core_out;
  std::optional<double> link;
  std::vector<std::string> measured;
  std::string html;
  bool is_json = false;
};

struct PlanResult {
  analyze::CapacityOptions options;
  std::vector<CapacityPlan> plans;  // of growing numbers of accelerators
  std::size_t asked = 0;            // the one that was asked for
};

// Reading and decoding on this machine.
Status measure_rates(const PlanCommand& command, analyze::DeviceRates& rates) {
  const pipeline::SourceSpec source = parse_source_argument(command.measured);
  PENSTOCK_TRY_ASSIGN(const pipeline::OpenSource open, open_source_argument(source));
  StatusLine line(0);
  line.show("measuring how fast files are read");
  PENSTOCK_TRY_ASSIGN(const double read_rate, measure_cold_read(*open.source, 3));
  rates.drive = read_rate * 1e-9;
  if (command.stores_tensors) return {};
  line.show("measuring how fast one core decodes");
  const Job job{
      .source = source, .ops = transform_ops("train"), .run = {.threads = 1}, .seconds = 3};
  PENSTOCK_TRY_ASSIGN(const Measurement core, measure(job));
  rates.core_in = core.images_per_s() * 1e-9 * static_cast<double>(core.stats.now.read.bytes) /
                  static_cast<double>(std::max<std::uint64_t>(1, core.stats.now.read.samples));
  rates.core_out = core.images_per_s() * 1e-9 * core.tensor_bytes;
  return {};
}

// What one accelerator takes, from what was given.
Status set_demand(const PlanCommand& command, analyze::CapacityOptions& options) {
  if (command.rate.has_value() != command.image_kb.has_value()) {
    return invalid_argument("--rate and --image-kb belong together, expected both or none");
  }
  if (command.rate && command.bytes_gbs) {
    return invalid_argument("--rate and --bytes both say what an accelerator takes, expected one");
  }
  if (command.bytes_gbs) options.accelerator_gbs = *command.bytes_gbs;
  if (command.rate) {
    const double stored_gbs = *command.rate * *command.image_kb * 1e-6;
    const double growth =
        options.is_compressed ? options.rates.core_out / options.rates.core_in : 1;
    options.accelerator_gbs = stored_gbs * growth;
  }
  return {};
}

Result<analyze::CapacityOptions> capacity_options(const PlanCommand& command) {
  analyze::CapacityOptions options{.is_compressed = !command.stores_tensors};
  if (!field_detail::parse_value(command.storage, options.storage)) {
    return invalid_argument("storage is ", command.storage, ", expected ssd, hdd, nfs or object");
  }
  options.rates = analyze::default_rates(options.storage);
  if (!command.measured.empty()) PENSTOCK_TRY(measure_rates(command, options.rates));
  options.rates.drive = command.drive.value_or(options.rates.drive);
  options.rates.network_card = command.network_card.value_or(options.rates.network_card);
  options.rates.core_in = command.core_in.value_or(options.rates.core_in);
  options.rates.core_out = command.core_out.value_or(options.rates.core_out);
  options.rates.link = command.link.value_or(options.rates.link);
  PENSTOCK_TRY(set_demand(command, options));
  return options;
}

Result<PlanResult> make_plans(const PlanCommand& command) {
  PlanResult result;
  PENSTOCK_TRY_ASSIGN(result.options, capacity_options(command));
  std::vector<std::uint64_t> counts = {1, 4, 8, 16, 64, 256};
  const auto place = std::ranges::lower_bound(counts, command.accelerators);
  result.asked = static_cast<std::size_t>(place - counts.begin());
  if (place == counts.end() || *place != command.accelerators) {
    counts.insert(place, command.accelerators);
  }
  for (const std::uint64_t count : counts) {
    PENSTOCK_TRY_ASSIGN(result.plans.emplace_back(), analyze::plan_capacity(result.options, count));
  }
  return result;
}

std::string heading(const PlanCommand& command, const PlanResult& result) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"ssd", "local SSDs"},
       {"hdd", "local disks"},
       {"nfs", "disks behind NFS"},
       {"object", "an object store"}}};
  std::string_view where;
  for (const auto& [word, name] : kNames) {
    if (word == command.storage) where = name;
  }
  return fmt::format("{} on {}, {:.3g} GB/s for each accelerator",
                     command.stores_tensors ? "Tensors" : "Compressed images", where,
                     result.options.accelerator_gbs);
}

// How many of the hop's devices; "-" if the bytes do not pass it.
std::string units_text(const CapacityPlan& plan, std::string_view name) {
  const Hop* hop = plan.find(name);
  return hop == nullptr ? "-" : fmt::format("{}", hop->units);
}

std::string petabyte_text(double gbs) {
  return analyze::rough_time(analyze::petabyte_seconds(gbs));
}

void print_json(const PlanCommand& command, const PlanResult& result) {
  const analyze::DeviceRates& rates = result.options.rates;
  nlohmann::ordered_json out = {{"storage", command.storage},
                                {"compressed", result.options.is_compressed},
                                {"accelerator_gbs", result.options.accelerator_gbs},
                                {"rates_gbs",
                                 {{"drive", rates.drive},
                                  {"network_card", rates.network_card},
                                  {"core_in", rates.core_in},
                                  {"core_out", rates.core_out},
                                  {"link", rates.link}}}};
  for (const CapacityPlan& plan : result.plans) {
    nlohmann::ordered_json row = {{"accelerators", plan.accelerators},
                                  {"stored_gbs", plan.stored_gbs},
                                  {"tensor_gbs", plan.tensor_gbs},
                                  {"binding", plan.hops[plan.binding].name}};
    for (const Hop& hop : plan.hops) {
      row["hops"][std::string(hop.name)] = {
          {"units", hop.units},
          {"needed_gbs", hop.needed_gbs},
          {"headroom", hop.headroom()},
          {"petabyte_s", analyze::petabyte_seconds(hop.capacity_gbs())}};
    }
    out["plans"].push_back(std::move(row));
  }
  for (const analyze::KnownLink& link : analyze::known_links()) {
    out["petabyte_s"][std::string(link.name)] = analyze::petabyte_seconds(link.gbs);
  }
  fmt::print("{}\n", out.dump(2));
}

analyze::ReportTable count_table(const PlanResult& result) {
  analyze::ReportTable table{
      .head = {"accelerators", "drives", "cards", "cores", "stored GB/s", "tensor GB/s", "binding"},
      .rows = {},
      .marked = result.asked,
      .words = 6};
  for (const CapacityPlan& plan : result.plans) {
    table.rows.push_back({fmt::format("{}", plan.accelerators), units_text(plan, "drives"),
                          units_text(plan, "network cards"), units_text(plan, "cores"),
                          fmt::format("{:.5g}", plan.stored_gbs),
                          fmt::format("{:.5g}", plan.tensor_gbs),
                          std::string(plan.hops[plan.binding].name)});
  }
  return table;
}

analyze::ReportTable hop_table(const CapacityPlan& plan) {
  analyze::ReportTable table{
      .head = {"hop", "number", "each GB/s", "needed GB/s", "headroom", "1 PB takes"},
      .rows = {},
      .marked = plan.binding,
      .words = {}};
  for (const Hop& hop : plan.hops) {
    table.rows.push_back(
        {std::string(hop.name), fmt::format("{}", hop.units), fmt::format("{:.3g}", hop.unit_gbs),
         fmt::format("{:.5g}", hop.needed_gbs), fmt::format("{:.2f} x", hop.headroom()),
         petabyte_text(hop.capacity_gbs())});
  }
  return table;
}

analyze::ReportTable link_table() {
  analyze::ReportTable table{
      .head = {"one of", "GB/s", "1 PB takes"}, .rows = {}, .marked = {}, .words = {}};
  for (const analyze::KnownLink& link : analyze::known_links()) {
    table.rows.push_back(
        {std::string(link.name), fmt::format("{:g}", link.gbs), petabyte_text(link.gbs)});
  }
  return table;
}

void print_result(const PlanCommand& command, const PlanResult& result) {
  const CapacityPlan& asked = result.plans[result.asked];
  fmt::print("{}\n\n", heading(command, result));
  print_text_table(count_table(result));
  fmt::print("\nWith accelerators: {}. A star marks the hop that binds:\n\n", asked.accelerators);
  print_text_table(hop_table(asked));
  fmt::print("\nTo compare with:\n\n");
  print_text_table(link_table());
}

analyze::Report make_report(const PlanCommand& command, const PlanResult& result) {
  const CapacityPlan& asked = result.plans[result.asked];
  std::vector<analyze::Headline> headlines;
  std::vector<analyze::Bar> bars;
  for (std::size_t i = 0; i < asked.hops.size(); ++i) {
    const Hop& hop = asked.hops[i];
    headlines.push_back({std::string(hop.name), fmt::format("{}", hop.units),
                         fmt::format("{:.3g} GB/s each", hop.unit_gbs)});
    bars.push_back({std::string(hop.name),
                    100 / hop.headroom(),
                    fmt::format("{:.0f} % used", 100 / hop.headroom()),
                    i == asked.binding ? analyze::Tone::kWait : analyze::Tone::kLoad,
                    {}});
  }
  return {.title = fmt::format("What feeds {} accelerator{}", asked.accelerators,
                               asked.accelerators == 1 ? "" : "s"),
          .summary = heading(command, result) + ".",
          .headlines = std::move(headlines),
          .sections = {{.title = "How much of each hop is used",
                        .text = "After rounding up to whole devices. The red one binds: to go "
                                "faster, add there first.",
                        .chart = analyze::bar_chart(bars, 100),
                        .table = hop_table(asked)},
                       {.title = "More and fewer accelerators",
                        .text = {},
                        .chart = {},
                        .table = count_table(result)},
                       {.title = "One petabyte",
                        .text = "How long it takes through one of each.",
                        .chart = {},
                        .table = link_table()}}};
}

Status plan(const PlanCommand& command) {
  PENSTOCK_TRY_ASSIGN(const PlanResult result, make_plans(command));
  if (command.is_json) {
    print_json(command, result);
  } else {
    print_result(command, result);
  }
  return write_page(command.html, make_report(command, result));
}

void add_rate_options(CLI::App& app, PlanCommand& command) {
  app.add_option("--drive", command.drive,
                 "GB/s of a drive; if not given: ssd 0.4, hdd 0.2, nfs 0.02, object 0.2");
  app.add_option("--network-card", command.network_card, "GB/s of a network card; else 5");
  app.add_option("--core-in", command.core_in, "GB/s of images into a core; else 0.025");
  app.add_option("--core-out", command.core_out, "GB/s of tensors out of a core; else 0.1");
  app.add_option("--link", command.link, "GB/s into an accelerator; else 1");
  app.add_option("--measure", command.measured,
                 "Measure drive and core here, with the files of this source (train transform)");
}

}  // namespace

Action define_plan(CLI::App& app) {
  auto command = std::make_shared<PlanCommand>();
  app.add_option("--accelerators", command->accelerators, "How many")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--storage", command->storage, "Where the data lie")
      ->check(CLI::IsMember({"ssd", "hdd", "nfs", "object"}))
      ->capture_default_str();
  app.add_flag("--tensor,!--compressed", command->stores_tensors,
               "Tensors are stored and need no decoding (--compressed: images, the default)");
  app.add_option("--bytes", command->bytes_gbs,
                 "Tensors that an accelerator takes, in GB/s; 0.3 if nothing is given");
  app.add_option("--rate", command->rate, "Or: images that an accelerator takes in a second")
      ->check(CLI::PositiveNumber);
  app.add_option("--image-kb", command->image_kb, "and the size of an image as it is stored")
      ->check(CLI::PositiveNumber);
  add_rate_options(app, *command);
  app.add_option("--html", command->html, kHtmlHelp);
  app.add_flag("--json", command->is_json, "Print JSON");
  app.footer(
      "Decoding makes images --core-out / --core-in times larger. GB are 10^9 bytes.\n"
      "Example: penstock plan --accelerators 256 --storage nfs --compressed");
  return [command] { return plan(*command); };
}

}  // namespace penstock::cli
