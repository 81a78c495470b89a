// The counters of a cache.
#include "penstock/storage/cache/cache_stats.h"

namespace penstock::storage {

CacheStats CacheCounters::stats() const {
  const std::scoped_lock lock(mutex_);
  return {hits_bytes_, misses_bytes_, stored_bytes_, is_full_, problem_};
}

void CacheCounters::set_problem(std::string_view problem) {
  const std::scoped_lock lock(mutex_);
  if (problem_.empty()) problem_ = problem;
}

}  // namespace penstock::storage
