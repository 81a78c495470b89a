// Walks the headers of a shard and groups its members into samples.
#include "penstock/source/shard_indexer.h"

#include <algorithm>
#include <utility>

#include "penstock/format/sample_key.h"

namespace penstock::source {
namespace {

using format::TarReader;

// A last member and the zeros that archives end with.
constexpr std::uint64_t kTail = 16 << 10;

Bytes behind(Bytes window, std::uint64_t num_bytes) {
  return window.subspan(std::min<std::uint64_t>(num_bytes, window.size()));
}

}  // namespace

ShardIndexer::ShardIndexer(std::uint64_t shard_bytes, const WindowSize& window)
    : reader_(shard_bytes), window_size_(window) {
  index_.shard_bytes = shard_bytes;
  wanted_bytes_ = std::min(window_size_.bytes(), shard_bytes);
}

void ShardIndexer::take(Bytes window) {
  const std::uint64_t begin = position();
  bool goes_on = true;
  while (goes_on && !is_done_) {
    const Bytes rest = behind(window, position() - begin);
    goes_on = gap_ ? search(rest) : walk(rest);
  }
}

// Reads members up to the end of the window, the end of the archive or a broken header. Whether
// the window may hold more.
bool ShardIndexer::walk(Bytes window) {
  const std::uint64_t begin = reader_.position();
  while (true) {
    auto record = reader_.next(behind(window, reader_.position() - begin));
    if (record.ok() && record->has_value()) {
      add_member(**record);
    } else if (record.status().code() == Code::kNeedMoreBytes) {
      want_headers(begin + window.size());
      return false;
    } else if (record.ok()) {
      const std::uint64_t end = reader_.position();
      open_gap({.offset = end, .is_archive_end = true}, end);
      return true;
    } else {
      open_gap({.offset = reader_.position(),
                .message = std::string(record.status().message()),
                .lost_name = reader_.lost_name(),
                .is_cut = reader_.search_position() == index_.shard_bytes},
               reader_.search_position());
      return true;
    }
  }
}

void ShardIndexer::want_headers(std::uint64_t window_end) {
  const std::uint64_t position = reader_.position();
  const std::uint64_t size = window_size_.next(position, window_end);
  const std::uint64_t left = index_.shard_bytes - position;
  const std::uint64_t enough = std::max(size, reader_.needed_bytes());
  wanted_bytes_ = left <= kTail ? left : std::min(enough, left);
}

// Looks for a header in every block. Whether the window may hold more.
bool ShardIndexer::search(Bytes window) {
  for (; window.size() >= TarReader::kBlock; window = window.subspan(TarReader::kBlock)) {
    if (format::is_tar_header(window.first(TarReader::kBlock))) {
      close_gap(search_position_);
      return true;
    }
    search_position_ += TarReader::kBlock;
  }
  const std::uint64_t left = index_.shard_bytes - search_position_;
  if (left < TarReader::kBlock) {
    close_gap(std::nullopt);
    return false;
  }
  wanted_bytes_ = std::min(left, WindowSize::kLargest);
  return false;
}

void ShardIndexer::open_gap(Gap gap, std::uint64_t search_position) {
  gap_ = std::move(gap);
  search_position_ = search_position;
}

void ShardIndexer::close_gap(std::optional<std::uint64_t> next_header) {
  const Gap gap = *std::exchange(gap_, std::nullopt);
  if (!gap.is_archive_end) {
    add_broken_header(gap, next_header);
  } else if (next_header || gap.offset == index_.shard_bytes) {
    add_archive_end(gap, next_header);
  }
  if (next_header) {
    is_behind_flaw_ = true;
    reader_.resume_at(*next_header);
  } else {
    is_done_ = true;
    wanted_bytes_ = 0;
  }
}

void ShardIndexer::add_broken_header(const Gap& gap, std::optional<std::uint64_t> next_header) {
  Flaw flaw{.offset = gap.offset, .message = gap.message};
  if (next_header) {
    flaw.message += concat("; the next header is at byte ", *next_header);
  } else if (!gap.is_cut) {
    flaw.message += "; no header follows";
  }
  // The name tells all that a cut costs. Otherwise more than one member may be lost.
  if (!gap.is_cut || gap.lost_name.empty()) flaw.before = last_sample();
  if (const auto split = format::split_sample_key(gap.lost_name)) flaw.lost = sample_of(split->key);
  add_flaw(std::move(flaw));
}

// Zeros in the middle, or no zeros at all: a shard that was cut between two members ends so, and
// what some other program wrote.
void ShardIndexer::add_archive_end(const Gap& gap, std::optional<std::uint64_t> next_header) {
  Flaw flaw{.offset = gap.offset, .before = last_sample(), .is_certain = next_header.has_value()};
  flaw.message = next_header ? concat("the archive ends at byte ", gap.offset,
                                      "; the next header is at byte ", *next_header)
                             : concat("the shard ends at byte ", gap.offset,
                                      ", expected more members or two blocks of zeros");
  if (next_header || flaw.before) add_flaw(std::move(flaw));
}

std::optional<std::size_t> ShardIndexer::last_sample() const {
  if (index_.keys.empty()) return std::nullopt;
  return index_.keys.size() - 1;
}

void ShardIndexer::add_member(const format::Record& record) {
  const auto name = format::split_sample_key(record.name);
  if (!name) return;
  const std::size_t num_samples = index_.keys.size();
  const std::size_t sample = sample_of(name->key);
  if (is_behind_flaw_) {
    is_behind_flaw_ = false;
    // A sample on both sides of a flaw has lost what was between.
    auto& mark = sample < num_samples ? flaws_.back().lost : flaws_.back().after;
    if (!mark) mark = sample;
  }
  const auto field = field_number(name->extension);
  if (!field) {
    add_flaw({.offset = record.offset - TarReader::kBlock,
              .message = concat("more than ", index_.fields.size(),
                                " different extensions, the last ", name->extension),
              .lost = sample});
    return;
  }
  const std::uint64_t first_part = sample == 0 ? 0 : index_.part_ends[sample - 1];
  const auto parts = index_.part_fields.begin() + static_cast<std::ptrdiff_t>(first_part);
  if (std::find(parts, index_.part_fields.end(), *field) != index_.part_fields.end()) {
    if (std::exchange(repeated_, sample) == sample) return;
    add_flaw({.offset = record.offset - TarReader::kBlock,
              .message = concat("sample ", name->key, " has two members with the extension ",
                                name->extension, ", the second at byte ", record.offset),
              .key = std::string(name->key)});
    return;
  }
  index_.part_fields.push_back(*field);
  index_.part_offsets.push_back(record.offset);
  index_.part_sizes.push_back(record.size);
  ++index_.part_ends.back();
}

// The last sample, or a new one if the key is another.
std::size_t ShardIndexer::sample_of(std::string_view key) {
  if (index_.keys.empty() || last_key_ != key) {
    last_key_ = key;
    index_.keys.push_back(key);
    index_.part_ends.push_back(index_.part_fields.size());
  }
  return index_.keys.size() - 1;
}

std::optional<std::uint16_t> ShardIndexer::field_number(std::string_view extension) {
  // A shard has a handful of extensions, so that a search costs less than a map.
  for (std::size_t i = 0; i < index_.fields.size(); ++i) {
    if (index_.fields[i] == extension) return static_cast<std::uint16_t>(i);
  }
  constexpr std::size_t kMaxFields = 4096;
  if (index_.fields.size() == kMaxFields) return std::nullopt;
  index_.fields.push_back(extension);
  return static_cast<std::uint16_t>(index_.fields.size() - 1);
}

void ShardIndexer::add_flaw(Flaw flaw) {
  // Garbage may be as long as the shard; messages that are never shown are not kept.
  if (flaws_.size() >= DamageList::kMaxListed) flaw.message.clear();
  flaws_.push_back(std::move(flaw));
}

ShardIndex ShardIndexer::take_index() && {
  settle_flaws(flaws_, index_);
  return std::move(index_);
}

}  // namespace penstock::source
