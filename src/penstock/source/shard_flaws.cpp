// Judges the samples of a damaged shard.
#include "penstock/source/shard_flaws.h"

#include <algorithm>
#include <set>
#include <utility>

#include "penstock/source/damage_list.h"

namespace penstock::source {
namespace {

using FieldSet = std::vector<std::uint16_t>;  // sorted

// A shard with more different sets of fields has no rule that a sample could break.
constexpr std::size_t kMaxFieldSets = 64;

std::uint64_t first_part(const ShardIndex& index, std::size_t sample) {
  return sample == 0 ? 0 : index.part_ends[sample - 1];
}

FieldSet fields_of(const ShardIndex& index, std::size_t sample) {
  const auto parts = index.part_fields.begin();
  FieldSet fields(parts + static_cast<std::ptrdiff_t>(first_part(index, sample)),
                  parts + static_cast<std::ptrdiff_t>(index.part_ends[sample]));
  std::ranges::sort(fields);
  return fields;
}

bool is_proper_subset(const FieldSet& part, const FieldSet& whole) {
  return part.size() < whole.size() && std::ranges::includes(whole, part);
}

// Knows which fields samples of the shard have.
class FieldRule {
 public:
  FieldRule(const ShardIndex& index, const std::vector<bool>& is_lost,
            const std::vector<bool>& is_suspect) {
    for (std::size_t sample = 0; sample < index.keys.size(); ++sample) {
      if (is_lost[sample] || all_.size() > kMaxFieldSets) continue;
      FieldSet fields = fields_of(index, sample);
      if (!is_suspect[sample]) usual_.insert(fields);
      all_.insert(std::move(fields));
    }
  }

  bool is_whole(const FieldSet& fields) const {
    if (all_.size() > kMaxFieldSets || usual_.contains(fields)) return true;
    return std::ranges::none_of(
        all_, [&](const FieldSet& other) { return is_proper_subset(fields, other); });
  }

 private:
  std::set<FieldSet> usual_;  // of samples beside no flaw
  std::set<FieldSet> all_;
};

// The samples that are not lost, with the fields that they have.
ShardIndex without(const ShardIndex& index, const std::vector<bool>& is_lost) {
  ShardIndex kept;
  kept.shard_bytes = index.shard_bytes;
  kept.shard_time = index.shard_time;
  std::vector<std::optional<std::uint16_t>> numbers(index.fields.size());
  for (std::size_t sample = 0; sample < index.keys.size(); ++sample) {
    if (is_lost[sample]) continue;
    for (std::uint64_t part = first_part(index, sample); part < index.part_ends[sample]; ++part) {
      auto& number = numbers[index.part_fields[part]];
      if (!number) {
        number = static_cast<std::uint16_t>(kept.fields.size());
        kept.fields.push_back(index.fields[index.part_fields[part]]);
      }
      kept.part_fields.push_back(*number);
      kept.part_offsets.push_back(index.part_offsets[part]);
      kept.part_sizes.push_back(index.part_sizes[part]);
    }
    kept.keys.push_back(index.keys[sample]);
    kept.part_ends.push_back(kept.part_fields.size());
  }
  return kept;
}

}  // namespace

void settle_flaws(const std::vector<Flaw>& flaws, ShardIndex& index) {
  if (flaws.empty()) return;
  std::vector<bool> is_lost(index.keys.size());
  std::vector<bool> is_suspect(index.keys.size());
  for (const Flaw& flaw : flaws) {
    if (flaw.lost) is_lost[*flaw.lost] = true;
    for (const auto& beside : {flaw.before, flaw.after}) {
      if (beside) is_suspect[*beside] = true;
    }
  }
  const FieldRule rule(index, is_lost, is_suspect);

  DamageList damages;
  std::vector<bool> is_told(index.keys.size());
  for (const Flaw& flaw : flaws) {
    bool has_cost = false;
    const auto lose = [&](std::size_t sample) {
      has_cost = true;
      if (is_told[sample]) return;
      is_told[sample] = is_lost[sample] = true;
      damages.add(flaw.offset, index.keys[sample], flaw.message);
    };
    if (flaw.lost) lose(*flaw.lost);
    for (const auto& beside : {flaw.before, flaw.after}) {
      if (beside && !is_lost[*beside] && !rule.is_whole(fields_of(index, *beside))) lose(*beside);
    }
    if (!has_cost && flaw.is_certain) damages.add(flaw.offset, flaw.key, flaw.message);
  }

  if (std::ranges::find(is_lost, true) != is_lost.end()) index = without(index, is_lost);
  index.damages = std::move(damages).finish();
}

}  // namespace penstock::source
