// Chrome's trace events: complete events ("X") with microseconds, one row a thread.
#include "penstock/analyze/trace.h"

#include <nlohmann/json.hpp>

namespace penstock::analyze {
namespace {

using nlohmann::json;

json row_name(std::size_t row, const std::string& name) {
  return {
      {"ph", "M"}, {"pid", 1}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", name}}}};
}

json event(std::string_view name, std::size_t row, double begin_s, double length_s) {
  return {{"ph", "X"},           {"pid", 1},
          {"tid", row},          {"name", name},
          {"ts", 1e6 * begin_s}, {"dur", 1e6 * length_s}};
}

void add_threads(const deliver::Run& run, json& events) {
  std::size_t row = 1;
  for (const deliver::ThreadTrace& thread : run.traces()) {
    events.push_back(row_name(row, thread.name));
    for (const deliver::ThreadTrace::Event& seen : thread.events) {
      json one = event(seen.name, row, seen.begin_s, seen.length_s);
      one["args"] = {{"batch", seen.batch}};
      if (seen.samples > 0) one["args"]["samples"] = seen.samples;
      events.push_back(std::move(one));
    }
    ++row;
  }
}

void add_consumer(const deliver::Run& run, json& events) {
  events.push_back(row_name(0, "consumer"));
  const auto add = [&](std::string_view name, double begin_s, double length_s,
                       std::uint64_t batch) {
    if (length_s <= 0) return;
    json one = event(name, 0, begin_s, length_s);
    one["args"] = {{"batch", batch}};
    events.push_back(std::move(one));
  };
  for (const deliver::BatchTime& time : run.batch_times()) {
    add("wait", time.begin_s - time.wait_s, time.wait_s, time.number);
    add("map", time.begin_s, time.map_s, time.number);
    add("step", time.begin_s + time.map_s, time.step_s, time.number);
  }
}

}  // namespace

std::string chrome_trace(const deliver::Run& run) {
  json events = json::array();
  add_consumer(run, events);
  add_threads(run, events);
  return json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace penstock::analyze
