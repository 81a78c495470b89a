// Positions of an epoch to sample numbers. docs/order.md, section 3, has the formulae.
#include "penstock/order/order.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "penstock/order/permute.h"

namespace penstock::order {
namespace {

constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 62;

// What a key is for; the second argument of combine_hash.
enum KeyUse : std::uint64_t { kShardKey = 1, kOffsetKey = 2, kWindowKey = 3 };

struct Division {
  std::uint64_t quotient;
  std::uint64_t remainder;
};

// Division of 32-bit numbers is several times faster, and almost every dataset fits.
Division divide(std::uint64_t a, std::uint64_t b) {
  if (((a | b) >> 32) == 0) {
    const auto narrow_a = static_cast<std::uint32_t>(a);
    const auto narrow_b = static_cast<std::uint32_t>(b);
    return {narrow_a / narrow_b, narrow_a % narrow_b};
  }
  return {a / b, a % b};
}

Result<std::uint64_t> total_size(std::span<const std::uint64_t> shard_sizes) {
  std::uint64_t total = 0;
  for (const std::uint64_t size : shard_sizes) {
    if (size >= kMaxSamples - total) {
      return invalid_argument("the shards hold ", kMaxSamples, " samples or more, expected fewer");
    }
    total += size;
  }
  return total;
}

}  // namespace

Result<Order> make_order(std::vector<std::uint64_t> shard_sizes, const OrderOptions& options) {
  Order order;
  order.options_ = options;
  PENSTOCK_TRY_ASSIGN(order.num_samples_, total_size(shard_sizes));
  if (options.shuffle != Shuffle::kWindow) return order;
  if (options.window == 0) return invalid_argument("window is 0, expected 1 or more");
  if (options.lanes == 0) return invalid_argument("lanes is 0, expected 1 or more");
  if (options.window >= order.num_samples_) {
    order.options_.shuffle = Shuffle::kGlobal;
    return order;
  }
  order.shard_sizes_ = std::move(shard_sizes);
  return order;
}

EpochOrder Order::epoch(std::uint32_t epoch) const {
  const std::uint64_t epoch_key = combine_hash(options_.seed, epoch);
  EpochOrder result;
  result.shuffle_ = options_.shuffle;
  result.num_samples_ = num_samples_;
  result.window_key_ = combine_hash(epoch_key, kWindowKey);
  if (options_.shuffle != Shuffle::kWindow) return result;

  result.offset_key_ = combine_hash(epoch_key, kOffsetKey);
  result.lanes_ = std::min<std::uint64_t>(options_.lanes, num_samples_);
  result.lane_window_ = std::max<std::uint64_t>(options_.window / result.lanes_, 1);

  const std::size_t num_shards = shard_sizes_.size();
  std::vector<std::uint64_t> first_samples(num_shards);
  std::uint64_t first_sample = 0;
  for (std::size_t shard = 0; shard < num_shards; ++shard) {
    first_samples[shard] = first_sample;
    first_sample += shard_sizes_[shard];
  }
  const std::uint64_t shard_key = combine_hash(epoch_key, kShardKey);
  result.shard_places_.reserve(num_shards);
  result.shard_shifts_.reserve(num_shards);
  std::uint64_t place = 0;
  for (std::size_t k = 0; k < num_shards; ++k) {
    const std::uint64_t shard = permute(k, num_shards, shard_key);
    result.shard_places_.push_back(place);
    result.shard_shifts_.push_back(first_samples[shard] - place);
    place += shard_sizes_[shard];
  }
  return result;
}

std::uint64_t EpochOrder::stored_at(std::uint64_t place) const {
  // The last shard that begins at `place` or before; of shards that begin at the same place only
  // the last one is not empty. Without branches, because every outcome is as likely as the other.
  const std::uint64_t* begin = shard_places_.data();
  for (std::size_t length = shard_places_.size(); length > 1;) {
    const std::size_t half = length / 2;
    begin += begin[half] <= place ? half : 0;
    length -= half;
  }
  return place + shard_shifts_[static_cast<std::size_t>(begin - shard_places_.data())];
}

EpochOrder::Window EpochOrder::window_of(std::uint64_t position) const {
  const auto [record, lane] = divide(position, lanes_);
  const auto [short_length, num_longer] = divide(num_samples_, lanes_);
  const std::uint64_t lane_length = short_length + (lane < num_longer ? 1 : 0);
  const std::uint64_t offset = scale_hash(combine_hash(offset_key_, lane), lane_window_);
  const std::uint64_t number = divide(record + offset, lane_window_).quotient;
  return {.lane = lane,
          .record = record,
          .number = number,
          .begin = number == 0 ? 0 : number * lane_window_ - offset,
          .end = std::min((number + 1) * lane_window_ - offset, lane_length)};
}

std::uint64_t EpochOrder::windowed(std::uint64_t position) const {
  const Window window = window_of(position);
  const auto [short_length, num_longer] = divide(num_samples_, lanes_);
  const std::uint64_t lane_begin = window.lane * short_length + std::min(window.lane, num_longer);
  const std::uint64_t key = combine_hash(window_key_, window.number * lanes_ + window.lane);
  return stored_at(lane_begin + window.begin +
                   permute(window.record - window.begin, window.end - window.begin, key));
}

std::uint64_t EpochOrder::substitute(std::uint64_t position, std::uint64_t attempt) const {
  assert(position < num_samples_);
  if (shuffle_ == Shuffle::kWindow) {
    const Window window = window_of(position);
    const std::uint64_t length = window.end - window.begin;
    if (attempt < length) {
      const std::uint64_t record = window.begin + (window.record - window.begin + attempt) % length;
      return record * lanes_ + window.lane;
    }
  }
  return (position + attempt) % num_samples_;
}

std::uint64_t EpochOrder::sample_at(std::uint64_t position) const {
  assert(position < num_samples_);
  switch (shuffle_) {
    case Shuffle::kNone:
      return position;
    case Shuffle::kWindow:
      return windowed(position);
    case Shuffle::kGlobal:
      return permute(position, num_samples_, combine_hash(window_key_, 0));
  }
  return position;
}

}  // namespace penstock::order
