// Walks the headers of a shard and groups its members into samples.
#include "penstock/source/shard_indexer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "penstock/format/sample_key.h"

namespace penstock::source {

ShardIndexer::ShardIndexer(std::uint64_t shard_bytes) : reader_(shard_bytes) {
  index_.shard_bytes = shard_bytes;
  wanted_bytes_ = std::min(window_size_.bytes(), shard_bytes);
}

Status ShardIndexer::take(Bytes window) {
  const std::uint64_t begin = reader_.position();
  while (true) {
    const std::uint64_t skipped = reader_.position() - begin;
    const Bytes rest = window.subspan(std::min<std::uint64_t>(skipped, window.size()));
    auto record = reader_.next(rest);
    if (!record.ok()) {
      if (record.status().code() != Code::kNeedMoreBytes) return record.status();
      want_more(begin + window.size());
      return {};
    }
    if (!record->has_value()) {
      is_done_ = true;
      wanted_bytes_ = 0;
      return {};
    }
    PENSTOCK_TRY(add_member(**record));
  }
}

void ShardIndexer::want_more(std::uint64_t window_end) {
  const std::uint64_t position = reader_.position();
  const std::uint64_t size = window_size_.next(position, window_end);
  const std::uint64_t left = index_.shard_bytes - position;
  wanted_bytes_ = std::min(std::max(size, reader_.needed_bytes()), left);
}

Status ShardIndexer::add_member(const format::Record& record) {
  const auto name = format::split_sample_key(record.name);
  if (!name) return {};
  PENSTOCK_TRY_ASSIGN(const std::uint16_t field, field_number(name->extension));
  const bool is_new = index_.keys.empty() || last_key_ != name->key;
  if (is_new) {
    last_key_ = name->key;
    index_.keys.push_back(name->key);
    index_.part_ends.push_back(index_.part_fields.size());
  }
  const std::size_t num_samples = index_.part_ends.size();
  const std::uint64_t first_part = num_samples == 1 ? 0 : index_.part_ends[num_samples - 2];
  const auto parts = index_.part_fields.begin() + static_cast<std::ptrdiff_t>(first_part);
  if (std::find(parts, index_.part_fields.end(), field) != index_.part_fields.end()) {
    return corrupt("sample ", name->key, " has two members with the extension ", name->extension,
                   ", the second at byte ", record.offset);
  }
  index_.part_fields.push_back(field);
  index_.part_offsets.push_back(record.offset);
  index_.part_sizes.push_back(record.size);
  ++index_.part_ends.back();
  return {};
}

Result<std::uint16_t> ShardIndexer::field_number(std::string_view extension) {
  // A shard has a handful of extensions, so that a search costs less than a map.
  for (std::size_t i = 0; i < index_.fields.size(); ++i) {
    if (index_.fields[i] == extension) return static_cast<std::uint16_t>(i);
  }
  constexpr std::size_t kMaxFields = 4096;
  if (index_.fields.size() == kMaxFields) {
    return corrupt("more than ", kMaxFields, " different extensions, the last ", extension);
  }
  index_.fields.push_back(extension);
  return static_cast<std::uint16_t>(index_.fields.size() - 1);
}

}  // namespace penstock::source
