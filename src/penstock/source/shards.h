// What sources made of shards have in common: indexing many shards at once, and which sample lies
// in which shard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/source/damage_list.h"
#include "penstock/source/index_file.h"
#include "penstock/source/path.h"
#include "penstock/source/source.h"
#include "penstock/source/unpack.h"
#include "penstock/source/window_size.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

template <class Index>
struct Shard {
  std::string name;              // as the user calls it
  std::uint64_t size_bytes = 0;  // of what the user calls so
  storage::ObjectInfo object;    // without compression
  std::string unpack_damage;     // why the object ends early; empty if it does not
  Index index;
};

struct ShardReaderOptions {
  bool uses_index_cache = true;
  std::string cache_folder;  // empty: none
};

// Indexes shards, several at once, so that a storage can overlap their reads. A Format names its
// `Indexer` (made from the size of a shard, like ShardIndexer), its `Index`, how the bytes of one
// are read (`decode`), and how its shards are packed (`kPacking`).
template <class Format>
class ShardReader {
 public:
  using Index = typename Format::Index;

  ShardReader(const storage::Storage& storage, ShardReaderOptions options,
              const ProgressFn& progress)
      : storage_(storage), options_(std::move(options)), progress_(progress) {}

  // In the order of `objects`.
  Result<std::vector<Shard<Index>>> read(std::span<const storage::ObjectInfo> objects) {
    for (const storage::ObjectInfo& object : objects) total_bytes_ += object.size_bytes;
    shards_.resize(objects.size());
    for (std::size_t begin = 0; begin < objects.size(); begin += kShardsKnownAtOnce) {
      const std::size_t count = std::min(objects.size() - begin, kShardsKnownAtOnce);
      PENSTOCK_TRY(
          begin_shards(std::span(shards_).subspan(begin, count), objects.subspan(begin, count)));
      while (!waiting_.empty() || !open_.empty()) {
        for (; !waiting_.empty() && open_.size() < kShardsAtOnce; waiting_.pop_front()) {
          open(*waiting_.front());
        }
        PENSTOCK_TRY(read_windows());
      }
    }
    return std::move(shards_);
  }

 private:
  static constexpr std::size_t kShardsAtOnce = 16;
  static constexpr std::size_t kShardsKnownAtOnce = 256;

  struct Open {
    Shard<Index>* shard;
    typename Format::Indexer indexer;
    std::vector<std::byte> window;
  };

  // Takes the indexes that are kept; the other shards wait to be read.
  Status begin_shards(std::span<Shard<Index>> shards,
                      std::span<const storage::ObjectInfo> objects) {
    PENSTOCK_TRY_ASSIGN(const auto compressions,
                        compressions_of(storage_, objects, Format::kPacking));
    std::vector<Shard<Index>*> unknown;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      PENSTOCK_TRY(begin_shard(shards[i], objects[i], compressions[i]).at(objects[i].path));
      if (keeps_index(shards[i])) {
        unknown.push_back(&shards[i]);
      } else {
        waiting_.push_back(&shards[i]);
      }
    }
    for (const auto place : {&IndexPlaces::beside, &IndexPlaces::cached}) {
      unknown = take_known(unknown, place);
    }
    waiting_.insert(waiting_.end(), unknown.begin(), unknown.end());
    return {};
  }

  Status begin_shard(Shard<Index>& shard, const storage::ObjectInfo& object,
                     format::Compression compression) {
    shard.name = object.path;
    shard.size_bytes = object.size_bytes;
    const auto unpacked = [&](std::uint64_t bytes) { report(shard.name, done_bytes_ + bytes); };
    PENSTOCK_TRY_ASSIGN(PlainShard plain,
                        plain_shard(storage_, object, compression, Format::kPacking.ending,
                                    options_.cache_folder, unpacked));
    shard.object = std::move(plain.object);
    shard.unpack_damage = std::move(plain.damage);
    return {};
  }

  // Indexes that lie at one of their places. Returns the shards that are left.
  std::vector<Shard<Index>*> take_known(const std::vector<Shard<Index>*>& shards,
                                        std::string IndexPlaces::* place) {
    std::vector<std::string> paths;
    paths.reserve(shards.size());
    for (const Shard<Index>* shard : shards) paths.push_back(places(*shard).*place);
    const auto found = read_objects(storage_, paths);
    std::vector<Shard<Index>*> left;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      if (!found[i] || !take_index(*shards[i], *found[i])) left.push_back(shards[i]);
    }
    return left;
  }

  // False if it is not that of the shard.
  bool take_index(Shard<Index>& shard, Bytes bytes) {
    auto index = Format::decode(bytes);
    const bool is_current = index.ok() && index->shard_bytes == shard.object.size_bytes &&
                            index->shard_time == shard.object.modified_ns;
    if (!is_current) return false;
    shard.index = *std::move(index);
    finish(shard);
    return true;
  }

  void open(Shard<Index>& shard) {
    const WindowSize window(storage_.is_remote(shard.object.path));
    open_.push_back({&shard, typename Format::Indexer(shard.object.size_bytes, window), {}});
  }

  // One window of every open shard.
  Status read_windows() {
    if (open_.empty()) return {};
    std::vector<storage::ReadRequest> requests;
    for (Open& open : open_) {
      open.window.resize(open.indexer.wanted_bytes());
      requests.push_back(
          {.path = open.shard->object.path, .offset = open.indexer.position(), .out = open.window});
    }
    storage_.read(requests);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::string& name = open_[i].shard->name;
      PENSTOCK_TRY(requests[i].status.at(name));
      open_[i].indexer.take(open_[i].window);
      if (open_[i].indexer.is_done()) end_shard(open_[i]);
    }
    std::erase_if(open_, [](const Open& open) { return open.indexer.is_done(); });
    report_reading();
    return {};
  }

  void end_shard(Open& open) {
    Shard<Index>& shard = *open.shard;
    shard.index = std::move(open.indexer).take_index();
    shard.index.shard_time = shard.object.modified_ns;
    if (keeps_index(shard)) save_index(storage_, places(shard), encode_index(shard.index));
    finish(shard);
  }

  void finish(const Shard<Index>& shard) {
    done_bytes_ += shard.size_bytes;
    report(shard.name, done_bytes_);
  }

  // An index without a time cannot be told from one of other bytes, so that it is not kept.
  bool keeps_index(const Shard<Index>& shard) const {
    return options_.uses_index_cache && shard.object.modified_ns != 0;
  }

  IndexPlaces places(const Shard<Index>& shard) const {
    const std::string& path = shard.object.path;
    return index_places(folder_of(path), base_name(path), options_.cache_folder);
  }

  void report_reading() const {
    std::uint64_t bytes = done_bytes_;
    for (const Open& open : open_) bytes += open.indexer.position();
    if (!open_.empty()) report(open_.front().shard->name, bytes);
  }

  void report(std::string_view what, std::uint64_t done) const {
    // Positions in an unpacked shard may be larger than the shard.
    if (progress_) progress_({what, std::min(done, total_bytes_), total_bytes_});
  }

  const storage::Storage& storage_;
  ShardReaderOptions options_;
  const ProgressFn& progress_;
  std::vector<Shard<Index>> shards_;
  std::deque<Shard<Index>*> waiting_;
  std::vector<Open> open_;
  std::uint64_t total_bytes_ = 0;
  std::uint64_t done_bytes_ = 0;
};

// What broke the unpacking is also why a record is cut, so that it comes first.
template <class Index>
void append_damages(const Shard<Index>& shard, std::vector<Damage>& damages) {
  if (!shard.unpack_damage.empty()) {
    damages.push_back({shard.name, shard.object.size_bytes, {}, shard.unpack_damage});
  }
  const DamageColumns& columns = shard.index.damages;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    damages.push_back({shard.name, columns.offsets[i], std::string(columns.keys[i]),
                       std::string(columns.messages[i])});
  }
}

// Why a source of these shards has no samples. `expected` is what they should hold.
inline Status no_samples(std::span<const storage::ObjectInfo> shards,
                         std::span<const Damage> damages, std::string_view expected) {
  if (damages.empty()) {
    return not_found("no samples in ", shards.size(), " shards, the first ", shards.front().path,
                     ", expected ", expected);
  }
  return corrupt("no samples in ", shards.size(), " shards, the first damage is ",
                 damages.front().source, ": ", damages.front().message, ", expected ", expected);
}

// The shards of a source, and which samples lie in each. Cannot be copied, because it holds
// pointers into itself.
class ShardTable {
 public:
  ShardTable(const ShardTable&) = delete;
  ShardTable& operator=(const ShardTable&) = delete;
  explicit ShardTable(const ShardReaderOptions& options) : options_(options) {}

  void add(std::string name, storage::ObjectInfo object, std::uint64_t num_samples) {
    if (options_.uses_index_cache) add_entry_points(folder_of(object.path));
    names_.push_back(std::move(name));
    objects_.push_back({std::move(object.path), object.size_bytes});
    sizes_.push_back(num_samples);
    ends_.push_back(this->num_samples() + num_samples);
  }

  std::uint64_t num_samples() const { return ends_.empty() ? 0 : ends_.back(); }
  // How many samples each shard holds.
  std::span<const std::uint64_t> sizes() const { return sizes_; }

  std::uint32_t shard_of(std::uint64_t sample) const {
    const auto it = std::ranges::upper_bound(ends_, sample);
    return static_cast<std::uint32_t>(it - ends_.begin());
  }
  // The sample's number in its shard.
  std::uint64_t record_of(std::uint64_t sample) const {
    const std::uint32_t shard = shard_of(sample);
    return shard == 0 ? sample : sample - ends_[shard - 1];
  }

  const std::string& name(std::uint32_t shard) const { return names_[shard]; }
  const std::string& path(std::uint32_t shard) const { return objects_[shard].path; }
  std::uint64_t object_bytes(std::uint32_t shard) const { return objects_[shard].size_bytes; }
  // As Source says.
  const IndexPlaces* entry_point_places(std::uint32_t shard) const {
    return entry_points_.empty() ? nullptr : entry_points_[shard];
  }

 private:
  // Where the bytes of a shard are read.
  struct Object {
    std::string path;
    std::uint64_t size_bytes = 0;
  };

  void add_entry_points(std::string_view folder) {
    IndexPlaces places = source::entry_point_places(folder, {}, options_.cache_folder);
    if (places_.empty() || places_.back().beside != places.beside) {
      places_.push_back(std::move(places));
    }
    entry_points_.push_back(&places_.back());
  }

  ShardReaderOptions options_;
  std::deque<IndexPlaces> places_;  // of folders; their addresses stay
  std::vector<const IndexPlaces*> entry_points_;
  std::vector<std::string> names_;  // as the user calls them
  std::vector<Object> objects_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::uint64_t> ends_;  // the first sample behind each shard
};

}  // namespace penstock::source
