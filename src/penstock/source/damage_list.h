// What is broken in a shard, as columns of its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/text.h"
#include "penstock/source/string_column.h"

namespace penstock::source {

// As in Damage; all of one length.
struct DamageColumns {
  std::vector<std::uint64_t> offsets;
  StringColumn keys;
  StringColumn messages;

  std::size_t size() const { return offsets.size(); }
  void push_back(std::uint64_t offset, std::string_view key, std::string_view message) {
    offsets.push_back(offset);
    keys.push_back(key);
    messages.push_back(message);
  }

  friend bool operator==(const DamageColumns&, const DamageColumns&) = default;
};

// Collects the damages of one shard. Garbage may be as long as the shard, so that only the first
// are listed and the others counted.
class DamageList {
 public:
  static constexpr std::size_t kMaxListed = 1000;

  // One without a message is counted only.
  void add(std::uint64_t offset, std::string_view key, std::string_view message) {
    if (columns_.size() < kMaxListed && !message.empty()) {
      columns_.push_back(offset, key, message);
    } else if (num_unlisted_++ == 0) {
      first_unlisted_ = offset;
    }
  }

  DamageColumns finish() && {
    if (num_unlisted_ > 0) {
      columns_.push_back(first_unlisted_, "",
                         concat(num_unlisted_, " more places are damaged from here on"));
    }
    return std::move(columns_);
  }

 private:
  DamageColumns columns_;
  std::uint64_t num_unlisted_ = 0;
  std::uint64_t first_unlisted_ = 0;
};

}  // namespace penstock::source
