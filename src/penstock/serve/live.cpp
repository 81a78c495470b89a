// Tells the page what happened between two looks at a run.
#include "penstock/serve/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace penstock::serve {
namespace {

using deliver::RunStats;
using deliver::StageStats;
using Json = nlohmann::ordered_json;

struct FlowStage {
  std::string_view name;
  double utilisation = 0;
};

double busy_s(const std::vector<StageStats>& stages, std::string_view name) {
  const auto found = std::ranges::find(stages, name, &StageStats::name);
  return found == stages.end() ? 0 : found->busy_s;
}

std::vector<FlowStage> flow_stages(const RunStats& begin, const RunStats& end) {
  const double elapsed_s = std::max(1e-9, end.elapsed_s - begin.elapsed_s);
  const double thread_s = elapsed_s * std::max(1, end.threads);
  const double wait_s = end.consumer_wait_s - begin.consumer_wait_s;
  const auto worked = [&](std::string_view name) {
    return (busy_s(end.worker_stages, name) - busy_s(begin.worker_stages, name)) / thread_s;
  };
  const double read_s = busy_s(end.reader_stages, "read") - busy_s(begin.reader_stages, "read");
  return {{"read", read_s / elapsed_s},
          {"decode", worked("decode")},
          {"transform", worked("transform")},
          {"trainer", 1 - wait_s / elapsed_s}};
}

Json flow_json(const std::vector<FlowStage>& stages, double rate) {
  Json out = Json::array();
  for (const FlowStage& stage : stages) {
    const double utilisation = std::clamp(stage.utilisation, 0.0, 1.0);
    Json entry = {{"name", stage.name}, {"utilisation", utilisation}};
    if (utilisation > 0) entry["capacity"] = rate / utilisation;
    out.push_back(std::move(entry));
  }
  return out;
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

Json totals_json(const RunStats& stats) {
  return {{"threads", stats.threads},        {"elapsed_s", stats.elapsed_s},
          {"samples", stats.samples},        {"batches", stats.batches},
          {"read_bytes", stats.read_bytes},  {"wait_s", stats.consumer_wait_s},
          {"bad_samples", stats.bad_samples}};
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

std::string print_live(const LiveView& view) {
  Json out = {{"run", view.run}};
  if (view.idle_s) out["idle_s"] = *view.idle_s;
  if (view.end) {
    const RunStats& end = *view.end;
    const double elapsed_s = std::max(1e-9, end.elapsed_s - view.begin.elapsed_s);
    const double rate = static_cast<double>(end.samples - view.begin.samples) / elapsed_s;
    const auto stages = flow_stages(view.begin, end);
    const auto limit = std::ranges::max_element(stages, {}, &FlowStage::utilisation);
    out["rate"] = rate;
    out["verdict"] = {{"limit", limit->name},
                      {"sentence", fmt::format("{} limits: {:.0f} samples/s", limit->name, rate)}};
    out["flow"] = flow_json(stages, rate);
    out["totals"] = totals_json(end);
    out["memory"] = memory_json(end.memory);
  }
  out["samples"] = samples_json(view.samples, view.samples_version);
  // Names of files and classes are bytes; what is not UTF-8 in them must not end the answer.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace penstock::serve
