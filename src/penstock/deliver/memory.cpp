// Divides the ceiling: what is needed at least first, then what is left in fixed shares.
#include "penstock/deliver/memory.h"

#include <algorithm>
#include <bit>

#include "penstock/base/units.h"
#include "penstock/storage/cache/cached_storage.h"
#include "penstock/storage/http/client.h"

namespace penstock::deliver {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// A group should be worth taking a lock for, and small enough that several threads share a batch.
constexpr std::size_t kGroupWorkBytes = 256 << 10;
// Groups on their way to the workers, beside the one that each works on.
constexpr std::size_t kGroupsAhead = 4;
// What is far away is read in large stretches, so many at once, beside those that workers have.
constexpr std::uint64_t kRemoteStretchBytes = 32 * kMiB;
constexpr std::uint64_t kMinRemoteStretchBytes = kMiB;
constexpr std::uint64_t kMinBlockBytes = 128 << 10;
constexpr std::uint64_t kMaxBlockBytes = 4 * kMiB;
constexpr std::size_t kRemoteReaders = 3;
constexpr std::size_t kRemoteStretches = kRemoteReaders + 2;
// What a worker has beside the pixels it decodes: its stack, tables, rows being resampled.
constexpr std::uint64_t kWorkerBytes = kMiB;
constexpr std::uint64_t kMinScratchBytes = 2 * kMiB;
constexpr std::uint64_t kMaxScratchBytes = 64 * kMiB;
constexpr std::uint64_t kMaxGroupBytes = 32 * kMiB;
constexpr std::uint64_t kMinLargeBytes = 8 * kMiB;
constexpr std::uint64_t kMaxLargeBytes = 1024 * kMiB;
// One that is filled and one that the consumer works with.
constexpr std::uint64_t kMinSlots = 2;

std::size_t group_size(const pipeline::Plan& plan, std::size_t num_running) {
  const std::size_t batch = plan.layout().capacity();
  const std::size_t sample_bytes =
      std::max<std::size_t>(1, plan.layout().size_bytes() / batch + plan.mean_sample_bytes());
  const std::size_t by_bytes = std::max<std::size_t>(1, kGroupWorkBytes / sample_bytes);
  const std::size_t by_share = std::max<std::size_t>(1, batch / (2 * num_running));
  return std::min(by_bytes, by_share);
}

// What a shuffle goes to and fro in.
struct ShuffleReach {
  std::uint64_t num_samples = 0;  // of this rank; 0 if blocks would be fetched for few samples each
  std::uint64_t num_lanes = 1;
};

ShuffleReach shuffle_reach(const pipeline::Plan& plan) {
  const pipeline::Spec& spec = plan.spec();
  if (!spec.shuffle) return {};
  const std::uint64_t world = spec.shard->world;
  const std::uint64_t num_samples = plan.source().num_samples();
  std::uint64_t window = num_samples;
  if (spec.shuffle->window != "global") field_detail::parse_value(spec.shuffle->window, window);
  if (window >= num_samples) return {.num_samples = world == 1 ? num_samples : 0};
  // Ranks have lanes of their own.
  const std::uint64_t lanes = spec.shuffle->lanes;
  return {.num_samples = lanes % world == 0 ? window / world : 0, .num_lanes = lanes / world};
}

// For shards that are far away and read out of order; as much as that takes, or nothing.
BlockBufferLimits plan_blocks(const pipeline::Plan& plan, std::uint64_t spare) {
  const source::Source& source = plan.source();
  const ShuffleReach reach = shuffle_reach(plan);
  if (!source.is_remote() || !plan.reads_storage() || reach.num_samples == 0) return {};
  std::uint64_t total_bytes = 0;
  for (std::uint32_t object = 0; object < source.num_objects(); ++object) {
    // One that is a sample by itself has nothing to share.
    if (source.object_bytes(object) == 0) return {};
    total_bytes += source.object_bytes(object);
  }
  const std::uint64_t bytes_per_sample = total_bytes / source.num_samples();
  if (plan.mean_sample_bytes() < bytes_per_sample / 2) return {};
  const std::uint64_t window_bytes = reach.num_samples * bytes_per_sample;
  BlockBufferLimits limits;
  // Several in the window of a lane, so that little is fetched beyond its ends.
  limits.block_bytes = std::clamp(std::bit_floor(window_bytes / reach.num_lanes / 2),
                                  kMinBlockBytes, kMaxBlockBytes);
  // Blocks at the ends of windows are shared, and what is being fetched comes on top.
  limits.max_bytes = window_bytes + window_bytes / 4 + 64 * limits.block_bytes;
  if (limits.max_bytes > spare / 2) return {};
  return limits;
}

// Half of what is spare, if nobody wants less.
Result<std::uint64_t> plan_sample_cache(const pipeline::Plan& plan, const MemoryRequest& request,
                                        std::uint64_t spare) {
  if (!plan.memory_cache() || !plan.reads_storage()) return std::uint64_t{0};
  if (!request.sample_cache_bytes) return std::min(plan.memory_cache()->max_bytes, spare / 2);
  if (*request.sample_cache_bytes <= spare) return *request.sample_cache_bytes;
  return resource_exhausted("memory: ", print_size_bytes(request.ceiling_bytes),
                            " leaves too little for a cache of ",
                            print_size_bytes(*request.sample_cache_bytes),
                            " that is there already, expected the ceiling that it was made under");
}

}  // namespace

Result<MemoryPlan> plan_memory(const pipeline::Plan& plan, const MemoryRequest& request) {
  const auto num_threads = static_cast<std::size_t>(request.num_threads);
  MemoryPlan out;
  out.ceiling_bytes = request.ceiling_bytes;
  out.index_bytes = plan.source().memory_bytes();
  out.group_size = group_size(plan, static_cast<std::size_t>(request.num_running));
  const bool is_remote = plan.source().is_remote();
  out.num_readers = is_remote ? kRemoteReaders : 1;
  out.reading.num_stretches = is_remote ? kRemoteStretches : num_threads + kGroupsAhead;

  const std::uint64_t slot_bytes = std::max<std::uint64_t>(1, plan.slot_bytes());
  const std::uint64_t group_bytes =
      plan.reads_storage() ? out.group_size * plan.mean_sample_bytes() + (64 << 10) : 0;
  const std::uint64_t min_stretch =
      is_remote ? std::max(group_bytes, kMinRemoteStretchBytes) : group_bytes;
  const std::uint64_t client_bytes = is_remote ? storage::kHttpReceiveBytes : 0;
  // Each thread that reads through a cache holds what it fetches for it; a worker may, too.
  const std::uint64_t cache_bytes =
      plan.disk_cache() == nullptr ? 0 : (out.num_readers + 1) * storage::kCachedReadBytes;
  const std::uint64_t fixed = out.index_bytes + client_bytes + cache_bytes +
                              num_threads * (kMinScratchBytes + kWorkerBytes) +
                              out.reading.num_stretches * min_stretch + kMinLargeBytes;
  const std::uint64_t smallest = fixed + kMinSlots * slot_bytes;
  if (request.ceiling_bytes < smallest) {
    return resource_exhausted(
        "memory: ", print_size_bytes(request.ceiling_bytes), " is too little for ", kMinSlots,
        " batches of ", print_size_bytes(slot_bytes), ", an index of ",
        print_size_bytes(out.index_bytes), " and ", num_threads, " threads; expected at least ",
        print_size_bytes((smallest + kMiB - 1) / kMiB * kMiB), ", or a smaller batch");
  }
  std::uint64_t spare = request.ceiling_bytes - smallest;
  out.entry_point_bytes = std::min(request.entry_point_bytes, spare / 8);
  spare -= out.entry_point_bytes;
  out.blocks = plan_blocks(plan, spare);
  spare -= out.blocks.max_bytes;
  PENSTOCK_TRY_ASSIGN(out.sample_cache_bytes, plan_sample_cache(plan, request, spare));
  spare -= out.sample_cache_bytes;
  out.scratch_bytes =
      kMinScratchBytes + std::min(spare / 8 / num_threads, kMaxScratchBytes - kMinScratchBytes);
  const std::uint64_t more_bytes = spare / 8 / out.reading.num_stretches;
  out.reading.stretch_bytes =
      min_stretch + std::min(more_bytes, is_remote ? kRemoteStretchBytes : kMaxGroupBytes);
  if (is_remote) {
    // Half of it, because samples are of different sizes: what does not fit is read alone.
    out.reading.groups_per_stretch = std::max<std::size_t>(
        1, out.reading.stretch_bytes / 2 / std::max<std::uint64_t>(1, group_bytes));
  }
  out.large_bytes = kMinLargeBytes + std::min(spare / 4, kMaxLargeBytes);

  const std::uint64_t others =
      out.index_bytes + out.entry_point_bytes + client_bytes + cache_bytes + out.blocks.max_bytes +
      out.sample_cache_bytes + num_threads * (out.scratch_bytes + kWorkerBytes) +
      out.reading.num_stretches * out.reading.stretch_bytes + out.large_bytes;
  out.slots.max_slots = (request.ceiling_bytes - others) / slot_bytes;
  const auto depth = [&](int prefetch) {
    return std::min(static_cast<std::size_t>(prefetch) + 1, out.slots.max_slots - 1);
  };
  out.slots.depth = depth(request.prefetch);
  out.slots.max_depth = depth(std::max(request.prefetch, request.max_prefetch));
  return out;
}

}  // namespace penstock::deliver
