// One line a figure, with a line of help above: prometheus.io, "Exposition formats".
#include "penstock/serve/metrics.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace penstock::serve {
namespace {

using deliver::RunStats;

enum class Kind : std::uint8_t { kCounter, kGauge };

struct Metric {
  std::string_view name;  // without "penstock_"
  Kind kind = Kind::kCounter;
  std::string_view help;
};

// One value of a metric; `labels` is empty, or like {stage="read"}.
void append_value(std::string& out, const Metric& metric, std::string_view labels, double value) {
  fmt::format_to(std::back_inserter(out), "penstock_{}{} {}\n", metric.name, labels, value);
}

void append_head(std::string& out, const Metric& metric) {
  fmt::format_to(std::back_inserter(out), "# HELP penstock_{} {}\n# TYPE penstock_{} {}\n",
                 metric.name, metric.help, metric.name,
                 metric.kind == Kind::kCounter ? "counter" : "gauge");
}

void append(std::string& out, const Metric& metric, double value) {
  append_head(out, metric);
  append_value(out, metric, {}, value);
}

void append_stages(std::string& out, const deliver::Snapshot& now) {
  const Metric metric{"stage_seconds_total", Kind::kCounter,
                      "Time of all threads of a stage, by what they did."};
  append_head(out, metric);
  for (const deliver::StageStats* stage : now.stages()) {
    for (const auto& [state, time_s] :
         {std::pair{"busy", stage->busy_s}, std::pair{"wait_input", stage->wait_input_s},
          std::pair{"wait_output", stage->wait_output_s}}) {
      append_value(out, metric, fmt::format("{{stage=\"{}\",state=\"{}\"}}", stage->name, state),
                   time_s);
    }
  }
}

void append_cpu(std::string& out, const deliver::Snapshot& now) {
  const Metric metric{"cpu_seconds_total", Kind::kCounter, "CPU time, by who used it."};
  append_head(out, metric);
  for (const auto& [who, time_s] :
       {std::pair{"readers", now.reader_cpu_s}, std::pair{"workers", now.worker_cpu_s},
        std::pair{"map", now.map_cpu_s}, std::pair{"process", now.process_cpu_s}}) {
    append_value(out, metric, fmt::format("{{who=\"{}\"}}", who), time_s);
  }
}

void append_queues(std::string& out, const deliver::Snapshot& now) {
  const auto both = [&](const Metric& metric, std::size_t groups, std::size_t batches) {
    append_head(out, metric);
    append_value(out, metric, "{queue=\"loaded_groups\"}", static_cast<double>(groups));
    append_value(out, metric, "{queue=\"ready_batches\"}", static_cast<double>(batches));
  };
  both({"queue_size", Kind::kGauge, "What is in a queue."}, now.loaded_groups, now.ready_batches);
  both({"queue_capacity", Kind::kGauge, "What a queue has room for."}, now.max_loaded_groups,
       now.max_ready_batches);
}

void append_memory(std::string& out, const deliver::MemoryStats& memory) {
  append(out, {"memory_ceiling_bytes", Kind::kGauge, "What the loader may hold."},
         static_cast<double>(memory.ceiling_bytes));
  const Metric metric{"memory_bytes", Kind::kGauge, "What the loader holds, by what it is."};
  append_head(out, metric);
  const std::array parts = {std::pair{"index", memory.index_bytes},
                            std::pair{"batches", memory.slot_bytes},
                            std::pair{"reads", memory.read_bytes},
                            std::pair{"blocks", memory.block_bytes},
                            std::pair{"scratch", memory.scratch_bytes},
                            std::pair{"entry_points", memory.entry_point_bytes},
                            std::pair{"cache", memory.cache_bytes}};
  for (const auto& [part, size_bytes] : parts) {
    append_value(out, metric, fmt::format("{{part=\"{}\"}}", part),
                 static_cast<double>(size_bytes));
  }
}

}  // namespace

std::string print_metrics(const RunStats& stats) {
  const deliver::Snapshot& now = stats.now;
  std::string out;
  append(out, {"samples_total", Kind::kCounter, "Samples written into batches."},
         static_cast<double>(now.decode.samples));
  append(out, {"batches_total", Kind::kCounter, "Batches handed over."},
         static_cast<double>(now.batches));
  append(out, {"read_bytes_total", Kind::kCounter, "Bytes read from storage."},
         static_cast<double>(now.read.bytes));
  append(out, {"bad_samples_total", Kind::kCounter, "Samples left out or replaced."},
         static_cast<double>(stats.bad_samples));
  append(out, {"run_seconds_total", Kind::kCounter, "Time since the run began."}, now.time_s);
  append(out, {"threads", Kind::kGauge, "Threads that decode and transform."}, now.decode.threads);
  append(out, {"prefetch", Kind::kGauge, "Batches kept ready, at most."}, stats.prefetch);
  append_stages(out, now);
  append_cpu(out, now);
  append_queues(out, now);
  append_memory(out, stats.memory);
  return out;
}

}  // namespace penstock::serve
