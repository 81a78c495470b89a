// Chooses what the page needs: it keeps what it was told before.
#include "penstock/serve/live.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace penstock::serve {
namespace {

using deliver::Snapshot;
using Json = nlohmann::ordered_json;

// The verdict is that of so many seconds.
constexpr double kVerdictSeconds = 5;
constexpr std::size_t kMaxBatches = 60;
constexpr std::size_t kMaxChanges = 4;
constexpr std::size_t kMaxTuning = 5;
// A change that gains less is not worth telling.
constexpr double kMinGain = 0.05;
// Of a history with ten points a second, one in so many is told.
constexpr std::size_t kHistoryStep = 5;

template <class T>
std::span<const T> last_of(const std::vector<T>& all, std::size_t count) {
  return std::span(all).last(std::min(all.size(), count));
}

// What is not known to end is null in JSON.
Json flow_json(const analyze::Verdict& verdict) {
  Json out = Json::array();
  for (const analyze::Link& link : verdict.links) {
    out.push_back({{"name", link.name}, {"capacity", link.capacity}, {"busy", link.busy}});
  }
  return out;
}

Json verdict_json(const analyze::Verdict& verdict) {
  Json changes = Json::array();
  for (const analyze::Change& change : verdict.changes) {
    if (change.gain < kMinGain || changes.size() == kMaxChanges) break;
    changes.push_back({{"what", change.what}, {"rate", change.rate}, {"gain", change.gain}});
  }
  return {{"sentence", verdict.sentence},
          {"limit", verdict.limit},
          {"rate", verdict.rate},
          {"changes", std::move(changes)}};
}

Json totals_json(const deliver::RunStats& stats) {
  const Snapshot& now = stats.now;
  return {{"elapsed_s", now.time_s},
          {"samples", now.decode.samples},
          {"batches", now.batches},
          {"read_bytes", now.read.bytes},
          {"wait_s", now.trainer.wait_input_s},
          {"threads", now.decode.threads},
          {"cores", stats.cores},
          {"prefetch", stats.prefetch},
          {"bad_samples", stats.bad_samples}};
}

Json queues_json(const Snapshot& now) {
  return {{{"name", "read, not yet decoded"},
           {"size", now.loaded_groups},
           {"capacity", now.max_loaded_groups},
           {"unit", "groups"}},
          {{"name", "ready for the trainer"},
           {"size", now.ready_batches},
           {"capacity", now.max_ready_batches},
           {"unit", "batches"}}};
}

Json memory_json(const deliver::MemoryStats& memory) {
  return {{"ceiling_bytes", memory.ceiling_bytes},
          {"parts",
           {{"index", memory.index_bytes},
            {"batches", memory.slot_bytes},
            {"reads", memory.read_bytes},
            {"blocks", memory.block_bytes},
            {"scratch", memory.scratch_bytes},
            {"entry points", memory.entry_point_bytes},
            {"cache", memory.cache_bytes}}}};
}

Json history_json(const std::vector<Snapshot>& history) {
  Json out = Json::array();
  for (std::size_t i = 0; i < history.size(); i += kHistoryStep) {
    out.push_back({{"time_s", history[i].time_s}, {"samples", history[i].decode.samples}});
  }
  return out;
}

Json batches_json(const std::vector<deliver::BatchTime>& batches) {
  Json out = Json::array();
  for (const deliver::BatchTime& batch : last_of(batches, kMaxBatches)) {
    out.push_back({{"number", batch.number},
                   {"wait_s", batch.wait_s},
                   {"map_s", batch.map_s},
                   {"step_s", batch.step_s}});
  }
  return out;
}

Json tuning_json(const std::vector<deliver::TunerStep>& steps) {
  Json out = Json::array();
  for (const deliver::TunerStep& step : last_of(steps, kMaxTuning)) {
    out.push_back({{"time_s", step.time_s},
                   {"what", step.what},
                   {"from", step.from},
                   {"to", step.to},
                   {"why", step.why}});
  }
  return out;
}

Json samples_json(const Thumbnails& samples, std::uint64_t version) {
  Json captions = Json::array();
  for (const Caption& caption : samples.captions) {
    Json entry = {{"sample", caption.sample}, {"name", caption.name}};
    if (caption.label) entry["label"] = *caption.label;
    if (!caption.class_name.empty()) entry["class"] = caption.class_name;
    captions.push_back(std::move(entry));
  }
  return {{"version", version},
          {"width", samples.width},
          {"height", samples.height},
          {"captions", std::move(captions)}};
}

}  // namespace

RunFigures look_at(const deliver::Run& run) {
  return {run.stats(), analyze::verdict_of(run, kVerdictSeconds), run.history(), run.batch_times()};
}

std::string print_live(const LiveView& view) {
  Json out = {{"run", view.run}};
  if (view.idle_s) out["idle_s"] = *view.idle_s;
  if (view.figures != nullptr) {
    const RunFigures& figures = *view.figures;
    out["verdict"] = verdict_json(figures.verdict);
    out["flow"] = flow_json(figures.verdict);
    out["totals"] = totals_json(figures.stats);
    out["queues"] = queues_json(figures.stats.now);
    out["memory"] = memory_json(figures.stats.memory);
    out["tuning"] = tuning_json(figures.stats.tuning);
    out["history"] = history_json(figures.history);
    out["batches"] = batches_json(figures.batches);
  }
  out["samples"] = samples_json(view.samples, view.samples_version);
  // Names of files and classes are bytes; what is not UTF-8 in them must not end the answer.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace penstock::serve
