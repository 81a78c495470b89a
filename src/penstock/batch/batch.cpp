// The memory of a slot, and of the rows that ragged fields keep beside it.
#include "penstock/batch/batch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace penstock::batch {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

// Slots of several megabytes are aligned to huge pages and ask for them: a first touch then costs
// one page fault for 2 MiB instead of 512.
SlotMemory::SlotMemory(std::size_t size_bytes) {
  const bool is_large = size_bytes >= kHugePage;
  const std::size_t alignment = is_large ? kHugePage : BatchLayout::kAlignment;
  const std::size_t num_units = std::max<std::size_t>(1, (size_bytes + alignment - 1) / alignment);
  const std::size_t rounded = num_units * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) return;
  if (is_large) madvise(memory, rounded, MADV_HUGEPAGE);
  memory_.reset(static_cast<std::byte*>(memory));
  size_bytes_ = rounded;
}

void SlotMemory::Free::operator()(std::byte* memory) const { std::free(memory); }

Result<MutableBytes> GrowingMemory::prepare(std::size_t size_bytes) {
  if (size_bytes > memory_.size_bytes() || memory_.data() == nullptr) {
    // A little more than asked for, so that lengths that creep up do not allocate every time.
    const std::size_t wanted = size_bytes + size_bytes / 4;
    size_bytes_ = 0;
    memory_ = SlotMemory();
    memory_ = SlotMemory(wanted);
    if (memory_.data() == nullptr) return resource_exhausted("no memory for ", wanted, " bytes");
  }
  size_bytes_ = size_bytes;
  return bytes();
}

Batch::Batch(const BatchLayout& batch_layout)
    : layout(batch_layout),
      memory(batch_layout.size_bytes()),
      samples(batch_layout.capacity()),
      ragged_(batch_layout.fields().size()) {
  for (std::size_t field = 0; field < ragged_.size(); ++field) {
    if (layout.fields()[field].is_ragged) ragged_[field].samples.resize(layout.capacity());
  }
}

Result<MutableBytes> Batch::rows(std::size_t field, std::size_t index, std::size_t num_rows) {
  assert(layout.fields()[field].is_ragged);
  return ragged_[field].samples[index].prepare(num_rows * layout.fields()[field].sample_bytes);
}

void Batch::move_sample(std::size_t from, std::size_t to) {
  samples[to] = samples[from];
  for (std::size_t field = 0; field < layout.fields().size(); ++field) {
    if (layout.fields()[field].is_ragged) {
      std::swap(ragged_[field].samples[from], ragged_[field].samples[to]);
    } else {
      std::ranges::copy(sample(field, from), sample(field, to).begin());
    }
  }
}

void Batch::drop(std::span<const std::size_t> places) {
  assert(std::ranges::is_sorted(places));
  while (!places.empty()) {
    const std::size_t last = count - 1;
    if (places.back() == last) {
      places = places.first(places.size() - 1);
    } else {
      move_sample(last, places.front());
      places = places.subspan(1);
    }
    --count;
  }
}

Status Batch::seal() {
  for (std::size_t field = 0; field < ragged_.size(); ++field) {
    const FieldLayout& where = layout.fields()[field];
    if (!where.is_ragged) continue;
    Rows& rows = ragged_[field];
    auto* ends = reinterpret_cast<std::int64_t*>(memory.data() + where.offset);
    std::size_t total = 0;
    ends[0] = 0;
    for (std::size_t i = 0; i < count; ++i) {
      total += rows.samples[i].bytes().size();
      ends[i + 1] = static_cast<std::int64_t>(total / where.sample_bytes);
    }
    PENSTOCK_TRY_ASSIGN(const MutableBytes values, rows.values.prepare(total));
    std::byte* out = values.data();
    for (std::size_t i = 0; i < count; ++i) {
      const Bytes sample = rows.samples[i].bytes();
      // Not std::ranges::copy, which moves 16 bytes at a time.
      if (!sample.empty()) std::memcpy(out, sample.data(), sample.size());
      out += sample.size();
    }
  }
  return {};
}

Bytes Batch::array(std::size_t field) const {
  const FieldLayout& where = layout.fields()[field];
  if (where.is_ragged) return ragged_[field].values.bytes();
  return {memory.data() + where.offset, count * where.sample_bytes};
}

std::span<const std::int64_t> Batch::offsets(std::size_t field) const {
  const FieldLayout& where = layout.fields()[field];
  return {reinterpret_cast<const std::int64_t*>(memory.data() + where.offset), count + 1};
}

std::uint64_t Batch::memory_bytes() const {
  std::uint64_t total = memory.size_bytes() + samples.capacity() * sizeof(samples[0]);
  for (const Rows& rows : ragged_) {
    total += rows.values.memory_bytes() + rows.samples.capacity() * sizeof(GrowingMemory);
    for (const GrowingMemory& sample : rows.samples) total += sample.memory_bytes();
  }
  return total;
}

}  // namespace penstock::batch
