// The weakest link, what is left without it, and how to say so.
#include "penstock/analyze/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "penstock/analyze/cost.h"
#include "penstock/analyze/text.h"
#include "penstock/deliver/machine.h"
#include "penstock/deliver/memory_speed.h"

namespace penstock::analyze {
namespace {

using deliver::Snapshot;

constexpr double kMoreCores = 2;
// A gain below this is nothing, given how well rates can be measured.
constexpr double kNothing = 0.05;
constexpr double kWarmUpSeconds = 1;
constexpr double kTakenCores = 0.3;
// What a core takes from memory that is in no cache.
constexpr double kMemoryBytesPerSecond = 5e9;

// What takes most of the cores.
std::string_view heaviest(const Cost& cost) {
  const std::array<std::pair<double, std::string_view>, 5> uses = {
      {{cost.read_s, "read"},
       {cost.decode_cpu_s, "decode"},
       {cost.transform_cpu_s, "transform"},
       {cost.map_cpu_s, "map"},
       {cost.other_cpu_s, "trainer"}}};
  return std::ranges::max_element(uses, {}, [](const auto& use) { return use.first; })->second;
}

std::string_view limit_of(const Cost& cost) {
  const double rate = cost.rate();
  if (cost.hand_over <= rate) return "prefetch";
  if (cost.consumer_rate() <= rate) return cost.map_s > cost.step_s ? "map" : "trainer";
  if (cost.memory_rate() <= rate) return "memory";
  if (cost.reader_rate() <= rate) return cost.storage_s >= cost.read_s ? "storage" : "read";
  if (cost.core_rate() <= rate) return heaviest(cost);
  if (cost.num_workers + 0.5 < cost.free_cores) return "threads";
  return cost.decode_s >= cost.transform_s ? "decode" : "transform";
}

// As if the limit were not there. Of threads and prefetch that means enough of them. A run that
// tunes itself takes the threads that it needs then.
Cost without(std::string_view name, Cost cost) {
  cost.num_workers = std::max(cost.num_workers, cost.max_workers);
  if (name == "storage") cost.storage_s = 0;
  if (name == "read") cost.read_s = 0;
  if (name == "decode") {
    // Images that are kept decoded come from memory; storage is not asked for them.
    cost.read_s = cost.storage_s = 0;
    cost.decode_s = cost.decode_cpu_s = cost.decoded_bytes / kMemoryBytesPerSecond;
  }
  if (name == "transform") cost.transform_s = cost.transform_cpu_s = 0;
  if (name == "memory") cost.memory_s = 0;
  if (name == "map") cost.map_s = cost.map_cpu_s = 0;
  if (name == "trainer") cost.step_s = cost.other_cpu_s = 0;
  if (name == "threads") cost.num_workers = std::max(cost.num_workers, cost.free_cores);
  if (name != "trainer") cost.hand_over = kUnlimited;
  return cost;
}

Cost with_cores(double more, Cost cost) {
  cost.free_cores += more;
  cost.num_workers += more;
  return cost;
}

struct Option {
  std::string_view name;  // of the limit that it takes away
  std::string_view what;
};
constexpr std::array<Option, 8> kOptions = {{{"threads", "a thread on every core"},
                                             {"prefetch", "more prefetched batches"},
                                             {"storage", "faster storage"},
                                             {"read", "cheaper reads"},
                                             {"decode", "pixels kept in memory"},
                                             {"transform", "no transform"},
                                             {"map", "no Python function"},
                                             {"trainer", "a faster trainer"}}};

bool makes_sense(std::string_view name, const Cost& cost, const RunFacts& facts) {
  if (name == "threads") return cost.num_workers + 0.5 < cost.free_cores;
  if (name == "storage" || name == "read") return facts.reads_storage;
  if (name == "map") return cost.map_s > 0;
  if (name == "decode") return cost.decode_s > 0;
  return true;
}

// Of work the model leaves things out: where work limits, what it says of now tells by how much it
// is wrong.
class Prediction {
 public:
  Prediction(const Cost& cost, double rate) : rate_(rate), modelled_(cost.rate()) {
    const bool is_of_work = cost.rate() == cost.worker_rate() || cost.rate() == cost.core_rate();
    if (is_of_work) scale_ = std::clamp(rate / cost.rate(), 0.5, 1.0);
  }

  Change change(std::string_view what, const Cost& cost) const {
    const bool changes_nothing = cost.rate() <= modelled_ * (1 + 1e-6);
    const double predicted = changes_nothing ? rate_ : std::max(rate_, cost.rate() * scale_);
    return {std::string(what), predicted, predicted / rate_ - 1};
  }

 private:
  double rate_;
  double modelled_;
  double scale_ = 1;
};

std::vector<Change> changes_of(const Cost& cost, const RunFacts& facts,
                               const Prediction& prediction) {
  std::vector<Change> changes;
  changes.reserve(kOptions.size() + 1);
  changes.push_back(prediction.change(fmt::format("{:.0f} more cores", kMoreCores),
                                      with_cores(kMoreCores, cost)));
  for (const Option& option : kOptions) {
    if (!makes_sense(option.name, cost, facts)) continue;
    changes.push_back(prediction.change(option.what, without(option.name, cost)));
  }
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.what < b.what;
  });
  return changes;
}

std::vector<Link> links_of(const Cost& cost, double rate) {
  const auto alone = [](double units, double seconds_each) {
    return seconds_each > 0 ? units / seconds_each : kUnlimited;
  };
  std::vector<Link> links = {{"storage", cost.reader_rate(), 0},
                             {"read", alone(cost.num_readers, cost.read_s), 0},
                             {"decode", alone(cost.num_workers, cost.decode_s), 0},
                             {"transform", alone(cost.num_workers, cost.transform_s), 0},
                             {"workers", cost.worker_rate(), 0},
                             {"cores", cost.core_rate(), 0},
                             {"memory", cost.memory_rate(), 0},
                             {"batch", cost.hand_over, 0},
                             {"map", alone(1, cost.map_s), 0},
                             {"trainer", alone(1, cost.step_s), 0}};
  for (Link& link : links) link.busy = std::min(1.0, rate / link.capacity);
  return links;
}

std::string reason(std::string_view limit, const Snapshot& passed, const Cost& cost,
                   const RunFacts& facts) {
  const double waits = 100 * std::min(1.0, passed.trainer.wait_input_s / passed.time_s);
  if (limit == "trainer") return fmt::format("it waits {:.0f} % of its time for data", waits);
  if (limit == "threads") {
    return fmt::format("{:.0f} of {:.0f} cores work", cost.num_workers, cost.free_cores);
  }
  if (limit == "prefetch") {
    return fmt::format("threads wait for a free batch while the trainer waits {:.0f} %", waits);
  }
  if (limit == "memory") {
    return fmt::format("which moves {:.1f} GB/s at most", 1e-9 * facts.memory_bytes_per_s);
  }
  const double taken = facts.cores - cost.free_cores;
  if (cost.core_rate() == cost.rate() && taken > kTakenCores) {
    return fmt::format("other processes take {:.1f} of {} cores", taken, facts.cores);
  }
  return fmt::format("the trainer waits {:.0f} % of its time", waits);
}

// The best change that is not the limit itself taken away, and what gives nothing.
std::string advice(const Verdict& verdict) {
  std::string text;
  for (const Change& change : verdict.changes) {
    if (change.gain < kNothing || !change.what.ends_with("more cores")) continue;
    text += fmt::format("; {} give about {}", change.what, print_rate(change.rate));
  }
  for (const Change& change : verdict.changes) {
    if (change.what == "faster storage" && change.gain < kNothing) {
      text += "; faster storage gives nothing";
    }
  }
  return text;
}

std::vector<std::string> unknown_of(const Verdict& verdict, const Snapshot& passed,
                                    const RunFacts& facts) {
  std::vector<std::string> unknown;
  if (passed.machine_cpu_s == 0) unknown.emplace_back("what other processes take of the cores");
  if (facts.reads_storage && verdict.limit != "storage") {
    unknown.emplace_back("what storage could give beyond what was asked of it");
  }
  if (facts.memory_bytes_per_s == 0) unknown.emplace_back("how fast memory is");
  if (verdict.limit != "trainer") unknown.emplace_back("how the trainer would use more");
  return unknown;
}

}  // namespace

Verdict verdict(const Snapshot& passed, const RunFacts& facts) {
  Verdict out;
  if (passed.trainer.samples == 0 || passed.time_s <= 0) {
    out.sentence = "nothing was delivered yet";
    return out;
  }
  const Cost cost = measure_cost(passed, facts);
  out.rate = static_cast<double>(passed.trainer.samples) / passed.time_s;
  out.limit = limit_of(cost);
  const Prediction prediction(cost, out.rate);
  out.possible = prediction.change(out.limit, without(out.limit, cost)).rate;
  out.links = links_of(cost, out.rate);
  out.changes = changes_of(cost, facts, prediction);
  out.sentence =
      fmt::format("{} limits: {} samples/s of a possible {}, {}{}", out.limit, print_rate(out.rate),
                  print_rate(out.possible), reason(out.limit, passed, cost, facts), advice(out));
  out.unknown = unknown_of(out, passed, facts);
  return out;
}

Snapshot recent(const std::vector<Snapshot>& history, const Snapshot& now, double seconds) {
  const double from_s = now.time_s - seconds;
  Snapshot begin;
  for (const Snapshot& seen : history) {
    const bool is_warm = seen.time_s >= std::min(kWarmUpSeconds, now.time_s / 3);
    begin = seen;
    if (is_warm && seen.time_s >= from_s) break;
  }
  if (begin.time_s >= now.time_s) begin = {};
  return deliver::difference(now, begin);
}

RunFacts facts_of(const deliver::Run& run) {
  return {.cores = deliver::available_cores(),
          .machine_cores = deliver::machine_cores(),
          .max_threads = run.max_threads(),
          .reads_storage = run.plan().reads_storage(),
          .sample_bytes = static_cast<double>(run.plan().layout().size_bytes()) /
                          static_cast<double>(run.plan().layout().capacity()),
          .memory_bytes_per_s = deliver::memory_bytes_per_s()};
}

Verdict verdict_of(const deliver::Run& run, double seconds) {
  return verdict(recent(run.history(), run.stats().now, seconds), facts_of(run));
}

std::string print(const Verdict& verdict) {
  std::string text = wrapped(verdict.sentence, 80) + "\n";
  if (verdict.limit.empty()) return text;
  text += fmt::format("\n  {:<12}{:>16}{:>8}\n", "stage", "could pass/s", "used");
  for (const Link& link : verdict.links) {
    if (!std::isfinite(link.capacity)) continue;
    text += fmt::format("  {:<12}{:>16}{:>7.0f} %\n", link.name, print_rate(link.capacity),
                        100 * link.busy);
  }
  text += fmt::format("\n  {:<36}{:>12}{:>9}\n", "with", "samples/s", "gain");
  for (const Change& change : verdict.changes) {
    text += fmt::format("  {:<36}{:>12}{:>7.0f} %\n", change.what, print_rate(change.rate),
                        100 * change.gain);
  }
  if (verdict.unknown.empty()) return text;
  text += "\n";
  std::string unknown = "Not known: ";
  for (const std::string& what : verdict.unknown) {
    unknown += (&what == verdict.unknown.data() ? "" : "; ") + what;
  }
  return text + wrapped(unknown, 80) + "\n";
}

}  // namespace penstock::analyze
