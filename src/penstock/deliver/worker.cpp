// Filling groups, one sample after the other.
#include "penstock/deliver/worker.h"

#include <span>
#include <utility>

#include "penstock/base/units.h"

namespace penstock::deliver {
namespace {

// Of a window full of bad samples so many are tried before the run gives up.
constexpr std::uint64_t kMaxSubstitutes = 256;

}  // namespace

Worker::Worker(Workshop& workshop, ThreadCounters& counters)
    : workshop_(workshop), counters_(counters), clock_(counters) {
  scratch_.decode.limit_bytes = workshop.memory.scratch_bytes;
  scratch_.entry_points = entry_points();
  scratch_.cache = workshop.cache;
}

EntryPointStore* Worker::entry_points() const {
  return workshop_.entry_points == nullptr ? nullptr : &workshop_.entry_points->store();
}

bool Worker::write(const LoadedGroup& loaded) {
  const Group& group = loaded.group();
  batch::Batch* batch = open_slot(group);
  const TraceTime begin = clock_.last();
  if (batch == nullptr) return false;
  if (scratch_.entry_points != nullptr) scratch_.entry_points->begin_epoch(group.head.epoch);
  const std::size_t num_fields = workshop_.plan.fields().size();
  for (std::size_t i = 0; i < group.count; ++i) {
    const SamplePlace place{.pick = loaded.pick(i),
                            .pieces = loaded.pieces(i, num_fields),
                            .batch = batch,
                            .index = group.first + i};
    FillOutcome outcome = fill(place, loaded.is_deferred(i));
    if (!outcome.status.ok()) handle(loaded, i, place, std::move(outcome));
  }
  add(counters_.samples, group.count);
  counters_.held_bytes.store(scratch_.size_bytes(), std::memory_order_relaxed);
  workshop_.assembly.finish(group.batch_sequence, group.count, std::exchange(bad_, {}));
  clock_.lap(Stage::kTransform);
  if (counters_.is_counting)
    counters_.trace.add({"write", begin, clock_.last(), group.batch_sequence, group.count});
  return true;
}

batch::Batch* Worker::open_slot(const Group& group) {
  const TraceTime begin = clock_.last();
  clock_.lap(Stage::kWaitInput);
  const TraceTime has_bytes = clock_.last();
  batch::Batch* batch = workshop_.assembly.open(group.batch_sequence, group.head);
  clock_.lap(Stage::kWaitOutput);
  counters_.trace.add_wait({"wait for bytes", begin, has_bytes, group.batch_sequence});
  counters_.trace.add_wait({"wait for a slot", has_bytes, clock_.last(), group.batch_sequence});
  return batch;
}

FillOutcome Worker::fill(const SamplePlace& place, bool is_deferred) {
  if (!is_deferred) {
    FillOutcome outcome = fill_sample(workshop_.plan, place, scratch_, clock_);
    if (outcome.status.code() != Code::kResourceExhausted) return outcome;
  }
  return fill_large(place);
}

FillOutcome Worker::fill_large(const SamplePlace& place) {
  const std::scoped_lock lock(workshop_.large_sample);
  SamplePlace large = place;
  Stretch own;
  std::size_t limit = workshop_.memory.large_bytes;
  if (workshop_.plan.reads_storage()) {
    own.picks = {place.pick};
    read_stretch(read_from(), own, limit, counters_);
    if (own.is_deferred(0)) {
      return {resource_exhausted("the sample does not fit into the ", print_size_bytes(limit),
                                 " that memory= leaves for one"),
              Stage::kRead};
    }
    large.pieces = own.pieces;
    limit -= own.buffer_bytes;
  }
  FillScratch scratch;
  scratch.decode.limit_bytes = limit;
  scratch.entry_points = entry_points();
  scratch.cache = workshop_.cache;
  return fill_sample(workshop_.plan, large, scratch, clock_);
}

FillOutcome Worker::fetch_and_fill(SamplePlace place) {
  if (!workshop_.plan.reads_storage()) return fill(place, false);
  fetched_.picks = {place.pick};
  read_stretch(read_from(), fetched_, workshop_.memory.reading.stretch_bytes, counters_);
  place.pieces = fetched_.pieces;
  return fill(place, fetched_.is_deferred(0));
}

void Worker::handle(const LoadedGroup& loaded, std::size_t i, const SamplePlace& place,
                    FillOutcome outcome) {
  const pipeline::Plan& plan = workshop_.plan;
  const Group& group = loaded.group();
  const bool is_bug = outcome.status.code() == Code::kInternal;
  if (workshop_.on_error == OnError::kRaise || is_bug) {
    workshop_.assembly.fail(group.batch_sequence, place.index,
                            outcome.status.at(plan.source().sample_name(place.pick.sample)));
    return;
  }
  const bool replaces = workshop_.on_error == OnError::kReplace;
  bad_.push_back({.index = place.index,
                  .sample = place.pick.sample,
                  .stage = kStageNames[static_cast<std::size_t>(outcome.stage)],
                  .status = std::move(outcome.status),
                  .is_replaced = replaces});
  if (!replaces) return;
  const Status replaced = replace(group, i, place);
  if (!replaced.ok()) workshop_.assembly.fail(group.batch_sequence, place.index, replaced);
}

Status Worker::replace(const Group& group, std::size_t i, const SamplePlace& place) {
  const std::uint64_t position = group.position(i);
  FillOutcome last;
  for (std::uint64_t attempt = 1; attempt <= kMaxSubstitutes; ++attempt) {
    SamplePlace other = place;
    other.pick = group.work->sequence.substitute(position, attempt);
    last = fetch_and_fill(other);
    if (last.status.ok()) return {};
  }
  return last.status.at(concat("no sample in place of ",
                               workshop_.plan.source().sample_name(place.pick.sample), ", ",
                               kMaxSubstitutes, " were tried, the last"));
}

}  // namespace penstock::deliver
