// Blocks of far-away objects in memory: many small ranges become few large ones.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/storage/storage.h"

namespace penstock::deliver {

struct BlockBufferLimits {
  std::size_t max_bytes = 0;  // of all blocks, those in use included; 0: there are none
  std::size_t block_bytes = 0;
};

// A range of an object whose length is known.
struct BlockRead {
  const storage::Storage* storage = nullptr;
  std::uint32_t object = 0;
  std::uint64_t object_bytes = 0;
  std::uint32_t epoch = 0;  // blocks of another one do not serve it
  storage::ReadRequest* request = nullptr;
  Bytes found;  // the answer: in a block, or request->out
};

// Keeps the blocks that answers lie in.
using BlockHolds = std::vector<std::shared_ptr<const void>>;

// A shuffle takes samples of one place at different times, none far from the others. The first
// fetches the block that it lies in; the others find it here, unless it was the block that nobody
// had wanted for the longest time and made room. Where all blocks are in use, ranges are read as
// they are. Safe from any thread.
class BlockBuffer {
 public:
  explicit BlockBuffer(const BlockBufferLimits& limits);

  // Answers every request, as Storage::read does. Answers last as long as `holds`.
  void read(std::span<BlockRead> reads, BlockHolds& holds, const std::stop_token& stop);

  std::size_t held_bytes() const;

 private:
  struct Key {
    std::uint32_t epoch = 0;
    std::uint32_t object = 0;
    std::uint64_t number = 0;  // in the object
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Memory = std::unique_ptr<std::byte[]>;
  // Memory for blocks that nobody uses now. New memory would be cleared, page by page.
  struct Idle {
    std::mutex mutex;
    std::vector<Memory> blocks;
  };
  enum class State : std::uint8_t { kLoading, kReady, kFailed };
  struct Block {
    ~Block();
    Idle* idle = nullptr;
    Memory bytes;
    std::size_t size_bytes = 0;
    State state = State::kLoading;
  };
  using BlockPtr = std::shared_ptr<Block>;
  struct Entry {
    BlockPtr block;
    std::list<Key>::iterator use;  // in uses_
  };
  // A block that this call fetches.
  struct Load {
    Key key;
    BlockPtr block;
    const BlockRead* read = nullptr;
  };
  // Reads that are answered together.
  struct Slice {
    std::span<BlockRead> reads;
    std::vector<BlockPtr> blocks;  // of all reads, one after the other; null where there is no room
    std::vector<Load> loads;
  };

  // The first of `reads`, as many as may be fetched at once, at least one.
  Slice take(std::span<BlockRead> reads);
  // Null if there is no such block.
  BlockPtr find(const Key& key);
  // Null if there is no room.
  BlockPtr add(const Key& key, std::size_t size_bytes);
  bool make_room(std::size_t size_bytes);
  void remove(std::map<Key, Entry>::iterator entry);
  Memory take_memory();
  void load(const Slice& slice, const std::stop_token& stop);
  void wait_for(const Slice& slice);
  // From these blocks; false if one is missing.
  bool answer(BlockRead& read, std::span<const BlockPtr> blocks, BlockHolds& holds) const;

  std::size_t num_blocks(const BlockRead& read) const;

  const BlockBufferLimits limits_;
  const std::size_t max_load_bytes_;  // of one call at once

  Idle idle_;
  mutable std::mutex mutex_;
  std::condition_variable loaded_;
  std::map<Key, Entry> entries_;
  std::list<Key> uses_;  // the last is the latest
  std::size_t held_bytes_ = 0;
};

}  // namespace penstock::deliver
