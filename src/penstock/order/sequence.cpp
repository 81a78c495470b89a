// Which part's turn it is, and which of its passes. docs/order.md, section 5, has the formulae.
#include "penstock/order/sequence.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace penstock::order {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMaxPositions = std::uint64_t{1} << 62;
// Weights in fixed point: a share of 2^32.
constexpr double kOne = 4294967296.0;

std::vector<double> weights_of(const std::vector<Part>& parts) {
  std::vector<double> weights;
  weights.reserve(parts.size());
  for (const Part& part : parts) weights.push_back(part.weight);
  return weights;
}

// The smallest n in [0, kMaxPositions] for which `holds`, which stays true once it is.
template <class Predicate>
std::uint64_t first_where(Predicate holds) {
  std::uint64_t low = 0;
  std::uint64_t high = kMaxPositions;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Positions of one epoch of a mix, before it is repeated.
std::uint64_t mixed_size(const std::vector<Part>& parts, const Dealer& dealer, Until until) {
  return first_where([&](std::uint64_t num_positions) {
    const std::vector<std::uint64_t> counts = dealer.counts(num_positions);
    std::size_t num_done = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) num_done += counts[k] >= parts[k].order.size();
    return num_done >= (until == Until::kAll ? parts.size() : 1);
  });
}

Status check(const std::vector<Part>& parts, const SequenceOptions& options) {
  for (const Part& part : parts) {
    if (!(part.weight > 0) || !std::isfinite(part.weight)) {
      return invalid_argument("weight is ", part.weight, ", expected a number above 0");
    }
    if (part.order.size() == 0) return invalid_argument("a dataset without samples");
  }
  if (options.repeat == 0) return invalid_argument("repeat is 0, expected 1 or more");
  return {};
}

}  // namespace

Dealer::Dealer(const std::vector<double>& weights) : totals_(weights.size()) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (const double weight : weights) {
    weights_.push_back(std::max<std::uint64_t>(1, std::llround(weight / sum * kOne)));
  }
  std::uint64_t total = 0;
  for (std::size_t k = weights.size(); k-- > 0;) totals_[k] = total += weights_[k];
}

std::uint64_t Dealer::share(std::size_t part, std::uint64_t rest) const {
  return static_cast<std::uint64_t>((Wide{rest} * weights_[part] + totals_[part] / 2) /
                                    totals_[part]);
}

Dealer::Turn Dealer::turn_at(std::uint64_t position) const {
  std::uint64_t rest = position;
  for (std::size_t k = 0; k + 1 < weights_.size(); ++k) {
    const std::uint64_t before = share(k, rest);
    if (share(k, rest + 1) > before) return {k, before};
    rest -= before;
  }
  return {weights_.size() - 1, rest};
}

std::vector<std::uint64_t> Dealer::counts(std::uint64_t num_positions) const {
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    counts.push_back(share(k, num_positions));
    num_positions -= counts.back();
  }
  return counts;
}

EpochSequence::Turn EpochSequence::turn_at(std::uint64_t position) const {
  std::uint64_t number = begin_ + position;
  const PartPasses* part = parts_.data();
  if (dealer_ != nullptr) {
    const Dealer::Turn turn = dealer_->turn_at(number);
    part = &parts_[turn.part];
    number = turn.number;
  }
  const std::uint64_t pass = number / part->size;
  assert(pass - part->first_pass < part->passes.size());
  return {.part = part,
          .order = &part->passes[pass - part->first_pass],
          .position = number - pass * part->size,
          .pass = static_cast<std::uint32_t>(pass)};
}

Pick EpochSequence::pick_at(std::uint64_t position) const {
  const Turn turn = turn_at(position);
  return {turn.part->first_sample + turn.order->sample_at(turn.position), turn.pass};
}

Pick EpochSequence::substitute(std::uint64_t position, std::uint64_t attempt) const {
  const Turn turn = turn_at(position);
  const std::uint64_t other = turn.order->substitute(turn.position, attempt);
  return {turn.part->first_sample + turn.order->sample_at(other), turn.pass};
}

EpochSequence Sequence::epoch(std::uint32_t epoch) const {
  EpochSequence result;
  result.begin_ = epoch * period_ + skip_;
  if (parts_.size() > 1) result.dealer_ = &dealer_;
  const std::vector<std::uint64_t> begins = dealer_.counts(result.begin_);
  const std::vector<std::uint64_t> ends = dealer_.counts(result.begin_ + size_);
  std::uint64_t first_sample = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Order& order = parts_[k].order;
    EpochSequence::PartPasses& part = result.parts_.emplace_back();
    part.first_sample = first_sample;
    part.size = order.size();
    part.first_pass = static_cast<std::uint32_t>(begins[k] / part.size);
    const std::uint64_t end_pass = (ends[k] + part.size - 1) / part.size;
    for (std::uint64_t pass = part.first_pass; pass < end_pass; ++pass) {
      part.passes.push_back(order.epoch(static_cast<std::uint32_t>(pass)));
    }
    first_sample += part.size;
  }
  return result;
}

Result<Sequence> make_sequence(std::vector<Part> parts, const SequenceOptions& options) {
  PENSTOCK_TRY(check(parts, options));
  const std::vector<double> weights = weights_of(parts);
  Sequence sequence(std::move(parts), weights);
  const std::uint64_t once = sequence.parts_.size() == 1
                                 ? sequence.parts_[0].order.size()
                                 : mixed_size(sequence.parts_, sequence.dealer_, options.until);
  if (once > kMaxPositions / options.repeat) {
    return invalid_argument("repeat is ", options.repeat, ", expected fewer than ", kMaxPositions,
                            " positions in an epoch");
  }
  sequence.period_ = once * options.repeat;
  sequence.skip_ = std::min(options.skip, sequence.period_);
  const std::uint64_t left = sequence.period_ - sequence.skip_;
  sequence.size_ = std::min(left, options.take.value_or(left));
  return sequence;
}

}  // namespace penstock::order
