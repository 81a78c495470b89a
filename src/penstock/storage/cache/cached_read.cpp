// Requests are cut into pieces of blocks. Blocks that are files are read; of the others as many as
// can be locked are fetched, then the rest is looked at again, until nothing is left.
#include "penstock/storage/cache/cached_read.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "penstock/storage/cache/cached_storage.h"

namespace penstock::storage {
namespace {

constexpr std::size_t kMaxFetchBytes = 8 << 20;  // in one request

// A block that others keep writing and that keeps being damaged is fetched past the cache.
constexpr int kMaxAttempts = 4;

struct Piece {
  BlockId id;
  BlockPiece part;
};

struct Block {
  BlockRead read;
  std::string_view path;  // of the object
  std::uint64_t object_bytes = 0;
  int num_attempts = 0;
  Bytes data;  // once it is fetched

  std::uint64_t begin() const { return read.id.number * kBlockBytes; }
};

using Blocks = std::vector<Block*>;

// Blocks that `inner` delivers with one request.
struct Fetch {
  std::span<Block* const> blocks;
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size_bytes = 0;
};

bool follows(const Block& a, const Block& b) {
  return a.read.id.key == b.read.id.key && a.read.id.number + 1 == b.read.id.number;
}

class CachedRead {
 public:
  CachedRead(const CacheParts& parts, std::span<const CacheRequest> requests,
             const std::stop_token& stop)
      : parts_(parts), requests_(requests), stop_(stop) {
    cut_into_pieces();
    gather_blocks();
  }

  void run() {
    Blocks todo;
    for (Block& block : blocks_) todo.push_back(&block);
    while (!todo.empty()) {
      const std::uint64_t num_unlocked =
          parts_.store.is_writable() ? parts_.store.locks().num_unlocked() : 0;
      const std::size_t num_before = todo.size();
      Blocks past = read_files(todo);
      Blocks mine;
      if (!parts_.store.is_writable() || stop_.stop_requested()) {
        std::ranges::move(std::exchange(todo, {}), std::back_inserter(past));
      } else {
        mine = take(todo, past);
      }
      fetch(mine, past);
      if (todo.size() == num_before) parts_.store.locks().wait(num_unlocked, stop_);
    }
  }

 private:
  void cut_into_pieces() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      ReadRequest& request = *requests_[i].request;
      request.status = {};
      for (std::size_t done = 0; done < request.out.size();) {
        const std::uint64_t at = request.offset + done;
        const std::size_t begin = at % kBlockBytes;
        const std::size_t size = std::min(request.out.size() - done, kBlockBytes - begin);
        pieces_.push_back({{requests_[i].object.key, at / kBlockBytes},
                           {i, begin, request.out.subspan(done, size)}});
        done += size;
      }
    }
    std::ranges::sort(pieces_, {}, &Piece::id);
  }

  void gather_blocks() {
    parts_of_blocks_.reserve(pieces_.size());
    for (const Piece& piece : pieces_) {
      parts_of_blocks_.push_back(piece.part);
      if (!blocks_.empty() && blocks_.back().read.id == piece.id) {
        auto& pieces = blocks_.back().read.pieces;
        pieces = {pieces.data(), pieces.size() + 1};
        continue;
      }
      const CacheRequest& from = requests_[piece.part.request];
      Block& block = blocks_.emplace_back();
      block.path = from.request->path;
      block.object_bytes = from.object.size_bytes;
      block.read.id = piece.id;
      block.read.data_bytes =
          std::min<std::uint64_t>(kBlockBytes, block.object_bytes - block.begin());
      block.read.path = parts_.store.path_of(piece.id);
      block.read.pieces = {&parts_of_blocks_.back(), 1};
    }
  }

  // Leaves in `todo` what is not there. Returns what must be fetched past the cache.
  Blocks read_files(Blocks& todo) {
    std::vector<BlockRead*> reads;
    for (Block* block : todo) reads.push_back(&block->read);
    parts_.reader.read(reads);
    Blocks past;
    std::erase_if(todo, [&](Block* block) {
      const BlockRead& read = block->read;
      if (read.outcome == BlockOutcome::kServed) {
        for (const BlockPiece& piece : read.pieces) parts_.counters.add_hit(piece.out.size());
        return true;
      }
      if (read.outcome == BlockOutcome::kAbsent) return false;
      const bool is_gone =
          read.outcome == BlockOutcome::kDamaged && parts_.store.remove(read.id, read.state);
      if (is_gone && ++block->num_attempts < kMaxAttempts) return false;
      past.push_back(block);
      return true;
    });
    return past;
  }

  // Moves blocks out of `todo` that this call fetches and stores, locked and with room set aside;
  // and into `past` those for which there is no room.
  Blocks take(Blocks& todo, Blocks& past) {
    Blocks mine;
    std::size_t held_bytes = 0;
    std::erase_if(todo, [&](Block* block) {
      const BlockRead& read = block->read;
      if (held_bytes + read.data_bytes > kCachedReadBytes) return false;
      if (!parts_.store.locks().try_lock(read.id)) return false;
      // Somebody may have written it since it was looked for.
      const bool is_there = BlockStore::state_of(read.path).has_value();
      if (!is_there && parts_.store.reserve(read.data_bytes)) {
        held_bytes += read.data_bytes;
        mine.push_back(block);
        return true;
      }
      parts_.store.locks().unlock(read.id);
      if (!is_there) past.push_back(block);
      return !is_there;
    });
    return mine;
  }

  void fetch(std::span<Block* const> mine, std::span<Block* const> past) {
    if (mine.empty() && past.empty()) return;
    std::vector<ReadRequest> wanted;
    std::vector<Fetch> fetches = merge(mine);
    for (const Fetch& fetch : fetches) {
      const Block& first = *fetch.blocks.front();
      wanted.push_back({first.path, first.begin(), {fetch.bytes.get(), fetch.size_bytes}, {}});
    }
    const std::vector<std::size_t> askers = add_asked(past, wanted);
    parts_.inner.read(wanted, stop_);
    for (std::size_t i = 0; i < askers.size(); ++i) {
      take_status(askers[i], wanted[fetches.size() + i].status);
    }
    // The callers' bytes first: nothing that happens to the files matters to them.
    for (std::size_t i = 0; i < fetches.size(); ++i) deliver(fetches[i], wanted[i].status);
    Blocks again;
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      store(fetches[i], wanted[i].status);
      if (wanted[i].status.code() != Code::kCorrupt) continue;
      std::ranges::copy(fetches[i].blocks, std::back_inserter(again));
    }
    // An object that is shorter than it was: what was asked for may be there all the same, and if
    // not the failure must speak of that.
    fetch({}, again);
  }

  static std::vector<Fetch> merge(std::span<Block* const> blocks) {
    std::vector<Fetch> fetches;
    for (std::size_t first = 0; first < blocks.size();) {
      std::size_t size_bytes = blocks[first]->read.data_bytes;
      std::size_t end = first + 1;
      while (end < blocks.size() && follows(*blocks[end - 1], *blocks[end]) &&
             size_bytes + blocks[end]->read.data_bytes <= kMaxFetchBytes) {
        size_bytes += blocks[end++]->read.data_bytes;
      }
      fetches.push_back({blocks.subspan(first, end - first),
                         std::make_unique_for_overwrite<std::byte[]>(size_bytes), size_bytes});
      first = end;
    }
    return fetches;
  }

  // What was asked for of these blocks, straight into the callers' memory. Returns whose it is.
  std::vector<std::size_t> add_asked(std::span<Block* const> blocks,
                                     std::vector<ReadRequest>& wanted) const {
    struct Asked {
      std::size_t request;
      std::uint64_t offset;
      MutableBytes out;
    };
    std::vector<Asked> asked;
    for (const Block* block : blocks) {
      for (const BlockPiece& piece : block->read.pieces) {
        parts_.counters.add_miss(piece.out.size());
        asked.push_back({piece.request, block->begin() + piece.begin, piece.out});
      }
    }
    std::ranges::sort(asked, [](const Asked& a, const Asked& b) {
      return std::tie(a.request, a.offset) < std::tie(b.request, b.offset);
    });
    std::vector<std::size_t> askers;
    for (const Asked& part : asked) {
      if (!askers.empty() && askers.back() == part.request &&
          wanted.back().offset + wanted.back().out.size() == part.offset) {
        MutableBytes& out = wanted.back().out;
        out = {out.data(), out.size() + part.out.size()};
        continue;
      }
      askers.push_back(part.request);
      wanted.push_back({requests_[part.request].request->path, part.offset, part.out, {}});
    }
    return askers;
  }

  // Copies out of the fetched blocks: a block is fetched whole, and callers want parts of it.
  void deliver(const Fetch& fetch, const Status& status) {
    if (status.code() == Code::kCorrupt) return;
    std::size_t begin = 0;
    for (Block* block : fetch.blocks) {
      block->data = {fetch.bytes.get() + begin, block->read.data_bytes};
      begin += block->read.data_bytes;
      for (const BlockPiece& piece : block->read.pieces) {
        parts_.counters.add_miss(piece.out.size());
        take_status(piece.request, status);
        if (!status.ok()) continue;
        std::ranges::copy(block->data.subspan(piece.begin, piece.out.size()), piece.out.begin());
      }
    }
  }

  void store(const Fetch& fetch, const Status& status) const {
    for (const Block* block : fetch.blocks) {
      const BlockId id = block->read.id;
      // An object that was replaced meanwhile may have come under the old one's key.
      const auto known = parts_.keys.find(block->path);
      if (status.ok() && known && known->key == id.key) {
        parts_.store.write(id, block->data);
      } else {
        parts_.store.give_back(block->read.data_bytes);
      }
      parts_.store.locks().unlock(id);
    }
  }

  void take_status(std::size_t request, const Status& status) const {
    Status& answer = requests_[request].request->status;
    if (answer.ok()) answer = status;
  }

  const CacheParts& parts_;
  const std::span<const CacheRequest> requests_;
  const std::stop_token& stop_;
  std::vector<Piece> pieces_;  // by block
  std::vector<BlockPiece> parts_of_blocks_;
  std::vector<Block> blocks_;
};

}  // namespace

void read_through(const CacheParts& parts, std::span<const CacheRequest> requests,
                  const std::stop_token& stop) {
  CachedRead(parts, requests, stop).run();
}

}  // namespace penstock::storage
