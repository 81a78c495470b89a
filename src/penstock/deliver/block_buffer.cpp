// The least recently used block that nobody holds makes room.
#include "penstock/deliver/block_buffer.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "penstock/deliver/read_many.h"

namespace penstock::deliver {
namespace {

// Threads that read at once have this share each for what they fetch.
constexpr std::size_t kLoadShare = 8;

void read_as_they_are(std::span<BlockRead* const> reads, const std::stop_token& stop) {
  std::vector<const storage::Storage*> storages;
  std::vector<storage::ReadRequest> requests;
  for (const BlockRead* read : reads) {
    storages.push_back(read->storage);
    requests.push_back(*read->request);
  }
  read_many(storages, requests, stop);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    reads[i]->request->status = std::move(requests[i].status);
  }
}

}  // namespace

BlockBuffer::Block::~Block() {
  const std::scoped_lock lock(idle->mutex);
  idle->blocks.push_back(std::move(bytes));
}

BlockBuffer::BlockBuffer(const BlockBufferLimits& limits)
    : limits_(limits),
      max_load_bytes_(std::max(limits.max_bytes / kLoadShare, limits.block_bytes)) {}

std::size_t BlockBuffer::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  return held_bytes_;
}

void BlockBuffer::read(std::span<BlockRead> reads, BlockHolds& holds, const std::stop_token& stop) {
  while (!reads.empty()) {
    const Slice slice = take(reads);
    load(slice, stop);
    wait_for(slice);
    std::vector<BlockRead*> unanswered;
    std::size_t next = 0;
    for (BlockRead& read : slice.reads) {
      const std::size_t count = num_blocks(read);
      read.request->status = {};
      if (!answer(read, std::span(slice.blocks).subspan(next, count), holds)) {
        unanswered.push_back(&read);
      }
      next += count;
    }
    read_as_they_are(unanswered, stop);
    reads = reads.subspan(slice.reads.size());
  }
}

std::size_t BlockBuffer::num_blocks(const BlockRead& read) const {
  const storage::ReadRequest& request = *read.request;
  if (request.out.empty()) return 0;
  const std::uint64_t last = (request.offset + request.out.size() - 1) / limits_.block_bytes;
  return last - request.offset / limits_.block_bytes + 1;
}

BlockBuffer::Slice BlockBuffer::take(std::span<BlockRead> reads) {
  const std::scoped_lock lock(mutex_);
  Slice slice;
  std::size_t load_bytes = 0;
  std::size_t num_taken = 0;
  for (const BlockRead& read : reads) {
    if (num_taken > 0 && load_bytes >= max_load_bytes_) break;
    ++num_taken;
    Key key{read.epoch, read.object, read.request->offset / limits_.block_bytes};
    for (std::size_t left = num_blocks(read); left > 0; --left, ++key.number) {
      const std::uint64_t begin = key.number * limits_.block_bytes;
      const std::uint64_t end = std::min(begin + limits_.block_bytes, read.object_bytes);
      BlockPtr block = find(key);
      if (block == nullptr && begin < end) {
        block = add(key, end - begin);
        if (block != nullptr) {
          load_bytes += block->size_bytes;
          slice.loads.push_back({key, block, &read});
        }
      }
      slice.blocks.push_back(std::move(block));
    }
  }
  slice.reads = reads.first(num_taken);
  return slice;
}

BlockBuffer::BlockPtr BlockBuffer::find(const Key& key) {
  const auto at = entries_.find(key);
  if (at == entries_.end()) return nullptr;
  uses_.splice(uses_.end(), uses_, at->second.use);
  return at->second.block;
}

BlockBuffer::BlockPtr BlockBuffer::add(const Key& key, std::size_t size_bytes) {
  if (!make_room(size_bytes)) return nullptr;
  auto block = std::make_shared<Block>();
  block->idle = &idle_;
  block->bytes = take_memory();
  block->size_bytes = size_bytes;
  uses_.push_back(key);
  entries_.emplace(key, Entry{block, std::prev(uses_.end())});
  held_bytes_ += limits_.block_bytes;
  return block;
}

bool BlockBuffer::make_room(std::size_t size_bytes) {
  const auto has_room = [&] { return held_bytes_ + limits_.block_bytes <= limits_.max_bytes; };
  if (size_bytes > limits_.block_bytes) return false;
  for (auto use = uses_.begin(); use != uses_.end() && !has_room();) {
    const auto entry = entries_.find(*use++);
    if (entry->second.block.use_count() == 1) remove(entry);
  }
  return has_room();
}

void BlockBuffer::remove(std::map<Key, Entry>::iterator entry) {
  held_bytes_ -= limits_.block_bytes;
  uses_.erase(entry->second.use);
  entries_.erase(entry);
}

BlockBuffer::Memory BlockBuffer::take_memory() {
  const std::scoped_lock lock(idle_.mutex);
  if (idle_.blocks.empty()) {
    return std::make_unique_for_overwrite<std::byte[]>(limits_.block_bytes);
  }
  Memory memory = std::move(idle_.blocks.back());
  idle_.blocks.pop_back();
  return memory;
}

void BlockBuffer::load(const Slice& slice, const std::stop_token& stop) {
  if (slice.loads.empty()) return;
  std::vector<storage::ReadRequest> requests;
  requests.reserve(slice.loads.size());
  std::vector<const storage::Storage*> storages;
  for (const Load& load : slice.loads) {
    requests.push_back({load.read->request->path,
                        load.key.number * limits_.block_bytes,
                        {load.block->bytes.get(), load.block->size_bytes},
                        {}});
    storages.push_back(load.read->storage);
  }
  read_many(storages, requests, stop);
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Load& load = slice.loads[i];
    load.block->state = requests[i].status.ok() ? State::kReady : State::kFailed;
    // Who waits for it asks by itself, and hears what is wrong with its own range.
    if (load.block->state == State::kFailed) remove(entries_.find(load.key));
  }
  loaded_.notify_all();
}

void BlockBuffer::wait_for(const Slice& slice) {
  std::unique_lock lock(mutex_);
  // Whoever fetches a block ends, sooner or later, and never waits before.
  loaded_.wait(lock, [&] {
    return std::ranges::none_of(slice.blocks, [](const BlockPtr& block) {
      return block != nullptr && block->state == State::kLoading;
    });
  });
}

bool BlockBuffer::answer(BlockRead& read, std::span<const BlockPtr> blocks,
                         BlockHolds& holds) const {
  const storage::ReadRequest& request = *read.request;
  read.found = request.out;
  const bool is_missing = std::ranges::any_of(blocks, [](const BlockPtr& block) {
    return block == nullptr || block->state == State::kFailed;
  });
  if (is_missing || request.offset + request.out.size() > read.object_bytes) return false;
  std::size_t begin = request.offset % limits_.block_bytes;
  if (blocks.size() == 1) {
    read.found = {blocks.front()->bytes.get() + begin, request.out.size()};
    holds.push_back(blocks.front());
    return true;
  }
  MutableBytes out = request.out;
  for (const BlockPtr& block : blocks) {
    const std::size_t size = std::min(out.size(), block->size_bytes - begin);
    std::memcpy(out.data(), block->bytes.get() + begin, size);
    out = out.subspan(size);
    begin = 0;
  }
  return true;
}

}  // namespace penstock::deliver
