// What a run did, as plain Python values.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "penstock/analyze/verdict.h"
#include "penstock/deliver/run.h"
#include "penstock/serve/metrics.h"

namespace penstock::python {
namespace {

nb::dict stage_dict(const deliver::StageStats& stage) {
  nb::dict out;
  out["threads"] = stage.threads;
  out["samples"] = stage.samples;
  out["bytes"] = stage.bytes;
  out["busy_s"] = stage.busy_s;
  out["wait_input_s"] = stage.wait_input_s;
  out["wait_output_s"] = stage.wait_output_s;
  return out;
}

nb::dict stages_dict(const deliver::Snapshot& now) {
  nb::dict out;
  for (const deliver::StageStats* stage : now.stages()) {
    out[nb::str(stage->name.data(), stage->name.size())] = stage_dict(*stage);
  }
  return out;
}

nb::list threads_list(const std::vector<deliver::ThreadStats>& threads) {
  nb::list out;
  for (const deliver::ThreadStats& thread : threads) {
    nb::dict entry;
    entry["kind"] = thread.kind;
    entry["samples"] = thread.samples;
    entry["busy_s"] = thread.busy_s;
    entry["wait_input_s"] = thread.wait_input_s;
    entry["wait_output_s"] = thread.wait_output_s;
    out.append(entry);
  }
  return out;
}

nb::dict queues_dict(const deliver::Snapshot& now) {
  nb::dict out;
  out["loaded_groups"] = nb::make_tuple(now.loaded_groups, now.max_loaded_groups);
  out["ready_batches"] = nb::make_tuple(now.ready_batches, now.max_ready_batches);
  return out;
}

nb::dict cpu_dict(const deliver::Snapshot& now) {
  nb::dict out;
  out["readers"] = now.reader_cpu_s;
  out["workers"] = now.worker_cpu_s;
  out["map"] = now.map_cpu_s;
  out["process"] = now.process_cpu_s;
  return out;
}

nb::list tuning_list(const std::vector<deliver::TunerStep>& steps) {
  nb::list out;
  for (const deliver::TunerStep& step : steps) {
    nb::dict entry;
    entry["time_s"] = step.time_s;
    entry["what"] = step.what;
    entry["from"] = step.from;
    entry["to"] = step.to;
    entry["why"] = step.why;
    out.append(entry);
  }
  return out;
}

nb::dict memory_dict(const deliver::MemoryStats& memory) {
  nb::dict out;
  out["ceiling"] = memory.ceiling_bytes;
  out["index"] = memory.index_bytes;
  out["batches"] = memory.slot_bytes;
  out["reads"] = memory.read_bytes;
  out["blocks"] = memory.block_bytes;
  out["scratch"] = memory.scratch_bytes;
  out["entry_points"] = memory.entry_point_bytes;
  out["cache"] = memory.cache_bytes;
  return out;
}

nb::dict entry_point_dict(const deliver::EntryPointStats& entry_points) {
  nb::dict out;
  out["found"] = entry_points.found;
  out["learnt"] = entry_points.learnt;
  out["extended"] = entry_points.extended;
  out["stored_bytes"] = entry_points.stored_bytes;
  out["problem"] = entry_points.problem;
  return out;
}

nb::object disk_cache_dict(const std::optional<storage::CacheStats>& cache) {
  if (!cache) return nb::none();
  nb::dict out;
  out["hit_bytes"] = cache->hits_bytes;
  out["missed_bytes"] = cache->misses_bytes;
  out["stored_bytes"] = cache->stored_bytes;
  out["is_full"] = cache->is_full;
  out["problem"] = cache->problem;
  return out;
}

nb::object memory_cache_dict(const std::optional<deliver::SampleCacheStats>& cache) {
  if (!cache) return nb::none();
  nb::dict out;
  out["hit_bytes"] = cache->hit_bytes;
  out["missed_bytes"] = cache->missed_bytes;
  out["stored_bytes"] = cache->stored_bytes;
  out["is_full"] = cache->is_full;
  return out;
}

}  // namespace

nb::dict stats_dict(const deliver::Run& run) {
  const deliver::RunStats stats = run.stats();
  const deliver::Snapshot& now = stats.now;
  nb::dict out;
  out["cores"] = stats.cores;
  out["threads"] = stats.num_threads;
  out["prefetch"] = stats.prefetch;
  out["samples"] = now.decode.samples;
  out["batches"] = now.batches;
  out["read_bytes"] = now.read.bytes;
  out["elapsed_s"] = now.time_s;
  out["stages"] = stages_dict(now);
  out["thread_times"] = threads_list(stats.threads);
  out["queues"] = queues_dict(now);
  out["cpu_s"] = cpu_dict(now);
  out["tuning"] = tuning_list(stats.tuning);
  out["bad_samples"] = stats.bad_samples;
  out["bad_samples_in_epoch"] = stats.bad_samples_in_epoch;
  out["entry_points"] = entry_point_dict(stats.entry_points);
  out["disk_cache"] = disk_cache_dict(stats.disk_cache);
  out["memory_cache"] = memory_cache_dict(stats.memory_cache);
  out["memory"] = memory_dict(stats.memory);
  out["metrics"] = serve::print_metrics(stats);
  return out;
}

nb::list batch_times_list(const deliver::Run& run) {
  nb::list out;
  for (const deliver::BatchTime& time : run.batch_times()) {
    out.append(nb::make_tuple(time.number, time.begin_s, time.wait_s, time.map_s, time.step_s));
  }
  return out;
}

nb::dict verdict_dict(const deliver::Run& run, double seconds) {
  const analyze::Verdict verdict = analyze::verdict_of(run, seconds);
  nb::dict out;
  out["sentence"] = verdict.sentence;
  out["limit"] = verdict.limit;
  out["samples_per_s"] = verdict.rate;
  out["possible_per_s"] = verdict.possible;
  nb::dict links;
  for (const analyze::Link& link : verdict.links) {
    links[nb::str(link.name.data(), link.name.size())] = nb::make_tuple(link.capacity, link.busy);
  }
  out["links"] = links;
  nb::dict changes;
  for (const analyze::Change& change : verdict.changes) {
    changes[nb::str(change.what.data(), change.what.size())] = change.rate;
  }
  out["changes"] = changes;
  out["unknown"] = verdict.unknown;
  out["text"] = analyze::print(verdict);
  return out;
}

}  // namespace penstock::python
