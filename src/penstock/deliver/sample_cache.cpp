// A table of copies that only grows.
#include "penstock/deliver/sample_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "penstock/base/hash.h"
#include "penstock/pipeline/spec.h"

namespace penstock::deliver {
namespace {

// Of an entry beside its bytes: its node, its share of the table while that grows, and what the
// allocator adds to both.
constexpr std::uint64_t kEntryBytes = 160;
// From here on memory comes in whole pages.
constexpr std::uint64_t kMinPagedBytes = 128 << 10;
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t memory_bytes(std::size_t size_bytes) {
  return size_bytes + kEntryBytes + (size_bytes < kMinPagedBytes ? 0 : kPageBytes);
}

// Of all that decides what a key means.
std::uint64_t hash_of(const pipeline::Plan& plan) {
  return combine_hash(plan.source().fingerprint(), pipeline::hash_spec(plan.spec()));
}

}  // namespace

std::size_t SampleCache::KeyHash::operator()(const SampleKey& key) const {
  const std::uint64_t place = combine_hash(key.where.object, key.where.offset);
  return combine_hash(combine_hash(place, key.where.size_bytes),
                      static_cast<std::uint64_t>(key.image_field));
}

SampleCache::SampleCache(const pipeline::Plan& plan, std::uint64_t max_bytes)
    : plan_hash_(hash_of(plan)), max_bytes_(max_bytes) {}

bool SampleCache::is_of(const pipeline::Plan& plan) const { return hash_of(plan) == plan_hash_; }

const SampleCache::Entry* SampleCache::find(const SampleKey& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::optional<Bytes> SampleCache::find_bytes(const SampleKey& key) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  return Bytes(entry->bytes.get(), entry->size_bytes);
}

ImageView SampleCache::find_image(const SampleKey& key) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return {};
  const auto [width, height] = entry->image_size;
  return {reinterpret_cast<const std::uint8_t*>(entry->bytes.get()), width, height, entry->channels,
          static_cast<std::size_t>(width) * static_cast<std::size_t>(entry->channels)};
}

void SampleCache::add_bytes(const SampleKey& key, Bytes bytes) {
  if (!reserve(key, bytes.size())) return;
  Entry entry{.bytes = std::make_unique_for_overwrite<std::byte[]>(bytes.size()),
              .size_bytes = bytes.size()};
  std::ranges::copy(bytes, entry.bytes.get());
  insert(key, std::move(entry));
}

void SampleCache::add_image(const SampleKey& key, const ImageView& image) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  const std::size_t size_bytes = row_bytes * static_cast<std::size_t>(image.height);
  if (!reserve(key, size_bytes)) return;
  Entry entry{.bytes = std::make_unique_for_overwrite<std::byte[]>(size_bytes),
              .size_bytes = size_bytes,
              .image_size = {image.width, image.height},
              .channels = image.channels};
  for (int y = 0; y < image.height; ++y) {
    std::memcpy(entry.bytes.get() + static_cast<std::size_t>(y) * row_bytes, image.row(y),
                row_bytes);
  }
  insert(key, std::move(entry));
}

bool SampleCache::reserve(const SampleKey& key, std::size_t size_bytes) {
  missed_bytes_ += size_bytes;
  const std::scoped_lock lock(mutex_);
  if (entries_.contains(key)) return false;
  if (memory_bytes(size_bytes) > max_bytes_ - held_bytes_) {
    is_full_ = true;
    return false;
  }
  held_bytes_ += memory_bytes(size_bytes);
  return true;
}

void SampleCache::insert(const SampleKey& key, Entry entry) {
  const std::size_t size_bytes = entry.size_bytes;
  const std::scoped_lock lock(mutex_);
  if (entries_.try_emplace(key, std::move(entry)).second) {
    stored_bytes_ += size_bytes;
  } else {
    // Another thread was faster.
    held_bytes_ -= memory_bytes(size_bytes);
  }
}

SampleCacheStats SampleCache::stats() const {
  return {hit_bytes_, missed_bytes_, stored_bytes_, is_full_};
}

}  // namespace penstock::deliver
