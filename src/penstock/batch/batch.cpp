// The memory of a slot.
#include "penstock/batch/batch.h"

#include <sys/mman.h>

#include <cstdlib>

namespace penstock::batch {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

// Slots of several megabytes are aligned to huge pages and ask for them: a first touch then costs
// one page fault for 2 MiB instead of 512.
SlotMemory::SlotMemory(std::size_t size_bytes) {
  const bool is_large = size_bytes >= kHugePage;
  const std::size_t alignment = is_large ? kHugePage : BatchLayout::kAlignment;
  const std::size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory != nullptr && is_large) madvise(memory, rounded, MADV_HUGEPAGE);
  memory_.reset(static_cast<std::byte*>(memory));
}

void SlotMemory::Free::operator()(std::byte* memory) const { std::free(memory); }

}  // namespace penstock::batch
