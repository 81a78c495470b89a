// Samples that stay in memory once they were read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "penstock/base/array.h"
#include "penstock/pipeline/plan.h"
#include "penstock/source/source.h"

namespace penstock::deliver {

struct SampleCacheStats {
  std::uint64_t hit_bytes = 0;     // asked for, and found
  std::uint64_t missed_bytes = 0;  // asked for, and read or decoded
  std::uint64_t stored_bytes = 0;
  bool is_full = false;  // something did not fit
};

// What is kept of a sample: bytes as they lie in storage, or the image in them as a field of the
// plan decodes it.
struct SampleKey {
  static constexpr int kNoField = -1;

  source::Piece where;
  int image_field = kNoField;  // in Plan::fields()

  friend bool operator==(const SampleKey& a, const SampleKey& b) {
    return a.where.object == b.where.object && a.where.offset == b.where.offset &&
           a.where.size_bytes == b.where.size_bytes && a.image_field == b.image_field;
  }
};

// Nothing is thrown out to make room: where half of the samples fit, half are found in every epoch.
// What is found stays where it is as long as the cache. It may outlive a run and serve the next one
// of the same pipeline. Safe from any thread.
class SampleCache {
 public:
  // `max_bytes` bounds what is held, the entries' own memory included.
  SampleCache(const pipeline::Plan& plan, std::uint64_t max_bytes);

  // Whether it was made for a pipeline of the same samples and fields.
  bool is_of(const pipeline::Plan& plan) const;

  std::optional<Bytes> find_bytes(const SampleKey& key) const;
  // An image without data if there is none.
  ImageView find_image(const SampleKey& key) const;

  // Copies what was missed, if it is new and there is room for it.
  void add_bytes(const SampleKey& key, Bytes bytes);
  void add_image(const SampleKey& key, const ImageView& image);

  // What was found and is used.
  void count_hit(std::uint64_t size_bytes) { hit_bytes_ += size_bytes; }

  SampleCacheStats stats() const;
  std::uint64_t max_bytes() const { return max_bytes_; }
  // At most max_bytes().
  std::uint64_t held_bytes() const { return held_bytes_; }

 private:
  struct Entry {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size_bytes = 0;
    ImageSize image_size;
    int channels = 0;  // 0: no image
  };
  struct KeyHash {
    std::size_t operator()(const SampleKey& key) const;
  };

  // Null if there is none.
  const Entry* find(const SampleKey& key) const;
  // False if the key is there already, or there is no room.
  bool reserve(const SampleKey& key, std::size_t size_bytes);
  // Of what was reserved.
  void insert(const SampleKey& key, Entry entry);

  const std::uint64_t plan_hash_;
  const std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> hit_bytes_ = 0;
  std::atomic<std::uint64_t> missed_bytes_ = 0;
  std::atomic<std::uint64_t> stored_bytes_ = 0;
  std::atomic<std::uint64_t> held_bytes_ = 0;  // changed under mutex_
  std::atomic<bool> is_full_ = false;

  mutable std::mutex mutex_;
  std::unordered_map<SampleKey, Entry, KeyHash> entries_;
};

}  // namespace penstock::deliver
