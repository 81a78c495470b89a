// Positions of an epoch to ranks and batches. docs/order.md, section 4, has the formulae.
#include <algorithm>
#include <cassert>

#include "penstock/order/order.h"

namespace penstock::order {
namespace {

constexpr std::uint64_t kMaxGlobalSize = std::uint64_t{1} << 62;

Status check(std::uint64_t num_samples, const BatchOptions& options) {
  if (num_samples >= kMaxGlobalSize) {
    return invalid_argument("the epoch has ", num_samples, " samples, expected fewer than ",
                            kMaxGlobalSize);
  }
  if (options.batch_size == 0) return invalid_argument("batch_size is 0, expected 1 or more");
  if (options.world == 0) return invalid_argument("world is 0, expected 1 or more");
  if (options.rank >= options.world) {
    return invalid_argument("rank is ", options.rank, ", expected less than world, which is ",
                            options.world);
  }
  if (options.batch_size > kMaxGlobalSize / options.world) {
    return invalid_argument("batch_size is ", options.batch_size, ", expected at most ",
                            kMaxGlobalSize / options.world, " with world ", options.world);
  }
  if (options.first_position > num_samples) {
    return invalid_argument("first_position is ", options.first_position,
                            ", expected at most the number of samples, ", num_samples);
  }
  return {};
}

}  // namespace

Result<Batches> make_batches(std::uint64_t num_samples, const BatchOptions& options) {
  PENSTOCK_TRY(check(num_samples, options));
  Batches batches;
  batches.options_ = options;
  batches.num_samples_ = num_samples;
  batches.global_size_ = options.batch_size * options.world;
  const std::uint64_t num_left = num_samples - options.first_position;
  batches.num_batches_ = num_left / batches.global_size_;
  if (options.last != LastBatch::kDrop && num_left % batches.global_size_ != 0) {
    ++batches.num_batches_;
  }
  return batches;
}

std::uint64_t Batches::first_of(std::uint64_t batch) const {
  assert(batch < num_batches_);
  const std::uint64_t begin = options_.first_position + batch * global_size_;
  return begin + (options_.rank + options_.world - begin % options_.world) % options_.world;
}

std::uint64_t Batches::size_of(std::uint64_t batch) const {
  if (options_.last != LastBatch::kKeep) return options_.batch_size;
  const std::uint64_t first = first_of(batch);
  if (first >= num_samples_) return 0;
  return std::min(options_.batch_size, (num_samples_ - first - 1) / options_.world + 1);
}

std::uint64_t Batches::position(std::uint64_t batch, std::uint64_t i) const {
  assert(i < size_of(batch));
  const std::uint64_t position = first_of(batch) + i * options_.world;
  return position < num_samples_ ? position : position % num_samples_;
}

std::uint64_t Batches::end_position(std::uint64_t batch) const {
  assert(batch < num_batches_);
  if (batch + 1 == num_batches_) return num_samples_;
  return options_.first_position + (batch + 1) * global_size_;
}

}  // namespace penstock::order
