// The epochs of a pipeline: one order, or several that are mixed, repeated, and cut to a part.
// Pure arithmetic, specified in docs/order.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/order/order.h"

namespace penstock::order {

// One turn of a sample.
struct Pick {
  std::uint64_t sample = 0;
  // How often its dataset was gone through before: the epoch, unless datasets are mixed or
  // repeated. Random ops are keyed by it, so that a sample that comes again looks different.
  std::uint32_t pass = 0;
  friend bool operator==(const Pick&, const Pick&) = default;
};

// A dataset in a mix. Samples are numbered through the parts.
struct Part {
  Order order;
  double weight = 1;
};

// When an epoch of a mix ends.
enum class Until : std::uint8_t {
  kFirst,  // when the first part was gone through; the others go on in the next epoch
  kAll,    // when every part was gone through
};
constexpr std::array<std::string_view, 2> enum_names(Until) { return {"first", "all"}; }

struct SequenceOptions {
  Until until = Until::kFirst;
  std::uint64_t repeat = 1;           // how often the samples come in one epoch
  std::uint64_t skip = 0;             // positions of each epoch that are left out at its beginning
  std::optional<std::uint64_t> take;  // positions of each epoch behind those; none: all
};

// How positions are dealt to the parts of a mix: with exact proportions, evenly. Of the first n
// positions a part has its share of n, to within one for it and each part before it.
class Dealer {
 public:
  // `weights` are positive and finite; at least one.
  explicit Dealer(const std::vector<double>& weights);

  struct Turn {
    std::size_t part;
    std::uint64_t number;  // how many positions before this one are of the same part
  };
  Turn turn_at(std::uint64_t position) const;

  // How many of the first `num_positions` each part has.
  std::vector<std::uint64_t> counts(std::uint64_t num_positions) const;

 private:
  // Of `rest` positions for this part and those behind it, how many are of this part: rounded to
  // the nearest, so that a weight that has no exact fixed point gives exact counts.
  std::uint64_t share(std::size_t part, std::uint64_t rest) const;

  std::vector<std::uint64_t> weights_;  // fixed point
  std::vector<std::uint64_t> totals_;   // of a weight and those behind it
};

// One epoch. Every method is safe from any thread and allocates nothing.
class EpochSequence {
 public:
  // Needs position < Sequence::size().
  Pick pick_at(std::uint64_t position) const;
  // Another sample for a position whose sample is bad, for attempt = 1, 2, ...: of the same part
  // and window as long as there are any.
  Pick substitute(std::uint64_t position, std::uint64_t attempt) const;

 private:
  friend class Sequence;
  EpochSequence() = default;

  struct PartPasses {
    std::uint64_t first_sample = 0;
    std::uint64_t size = 0;
    std::uint32_t first_pass = 0;
    std::vector<EpochOrder> passes;  // those that the epoch touches
  };
  struct Turn {
    const PartPasses* part;
    const EpochOrder* order;
    std::uint64_t position;  // in the order
    std::uint32_t pass;
  };
  Turn turn_at(std::uint64_t position) const;

  const Dealer* dealer_ = nullptr;  // null for one part
  std::uint64_t begin_ = 0;  // what to add to a position: all epochs before, and what is skipped
  std::vector<PartPasses> parts_;
};

// Immutable. Must outlive its epochs.
class Sequence {
 public:
  // Positions in every epoch.
  std::uint64_t size() const { return size_; }

  // O(shards) for each pass that the epoch touches.
  EpochSequence epoch(std::uint32_t epoch) const;

 private:
  friend Result<Sequence> make_sequence(std::vector<Part> parts, const SequenceOptions& options);
  Sequence(std::vector<Part> parts, const std::vector<double>& weights)
      : parts_(std::move(parts)), dealer_(weights) {}

  std::vector<Part> parts_;
  Dealer dealer_;
  std::uint64_t period_ = 0;  // positions from one epoch to the next
  std::uint64_t skip_ = 0;
  std::uint64_t size_ = 0;
};

// Fails if a weight or an option makes no sense, naming it.
Result<Sequence> make_sequence(std::vector<Part> parts, const SequenceOptions& options);

}  // namespace penstock::order
