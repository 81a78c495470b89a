// Batches of local reads. What is to be checked is read in whole pages: straight into the caller's
// memory where a page belongs to it entirely, otherwise into memory of its own.
#include "penstock/storage/cache/block_reader.h"

#include <algorithm>
#include <utility>

#include "penstock/storage/cache/page_hash.h"

namespace penstock::storage {
namespace {

// A batch is read when so much memory of its own is needed.
constexpr std::size_t kMaxScratchBytes = 4 << 20;

// More pieces of one block are copied out of one long read.
constexpr std::size_t kMaxPiecesReadAlone = 4;

std::size_t first_page(const BlockPiece& piece) { return piece.begin / kPageBytes; }
std::size_t last_page(const BlockPiece& piece) {
  return (piece.begin + piece.out.size() - 1) / kPageBytes;
}

PageSet pages_of(const BlockRead& block) {
  PageSet pages = 0;
  for (const BlockPiece& piece : block.pieces) {
    pages |= page_set(first_page(piece), last_page(piece));
  }
  return pages;
}

std::uint64_t identity_of(const BlockRead& block) {
  return combine_hash(block.id.hash(), block.state.identity);
}

class Batch {
 public:
  Batch(const Storage& storage, CheckedPages& checked) : storage_(storage), checked_(checked) {}

  void add(BlockRead& block) {
    const auto state = BlockStore::state_of(block.path);
    block.outcome = BlockOutcome::kAbsent;
    if (!state) return;
    block.state = *state;
    block.outcome = BlockOutcome::kDamaged;
    if (state->size_bytes != block.data_bytes + footer_bytes(block.data_bytes)) return;
    block.outcome = BlockOutcome::kServed;
    if (checked_.has(identity_of(block), pages_of(block))) {
      for (const BlockPiece& piece : block.pieces) read_at(block, piece.begin, piece.out);
    } else {
      add_unchecked(block);
    }
    if (scratch_bytes_ >= kMaxScratchBytes) run();
  }

  void run() {
    if (requests_.empty()) return;
    storage_.read(requests_);
    for (std::size_t i = 0; i < requests_.size(); ++i) note(*readers_[i], requests_[i].status);
    for (const Check& check : checks_) verify(check);
    for (const Copy& copy : copies_) std::ranges::copy(copy.from, copy.to.begin());
    requests_.clear();
    readers_.clear();
    checks_.clear();
    runs_.clear();
    copies_.clear();
    scratch_.clear();
    scratch_bytes_ = 0;
  }

 private:
  // Whole pages.
  struct PageRun {
    std::size_t first_page;
    Bytes bytes;
  };
  struct Check {
    BlockRead* block;
    Bytes footer;
    std::size_t first_run;  // of runs_; up to those of the next check
    std::size_t num_runs;
  };
  struct Copy {
    Bytes from;
    MutableBytes to;
  };

  void read_at(BlockRead& block, std::size_t begin, MutableBytes out) {
    requests_.push_back({block.path, begin, out, {}});
    readers_.push_back(&block);
  }

  MutableBytes allocate(std::size_t size) {
    scratch_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    scratch_bytes_ += size;
    return {scratch_.back().get(), size};
  }

  void add_unchecked(BlockRead& block) {
    const MutableBytes footer = allocate(footer_bytes(block.data_bytes));
    read_at(block, block.data_bytes, footer);
    const std::size_t first_run = runs_.size();
    if (block.pieces.size() > kMaxPiecesReadAlone) {
      add_together(block);
    } else {
      for (const BlockPiece& piece : block.pieces) add_piece(block, piece);
    }
    checks_.push_back({&block, footer, first_run, runs_.size() - first_run});
  }

  static std::size_t page_begin(const BlockRead& block, std::size_t page) {
    return std::min(page * kPageBytes, block.data_bytes);
  }

  void add_run(BlockRead& block, std::size_t page, MutableBytes bytes) {
    read_at(block, page_begin(block, page), bytes);
    runs_.push_back({page, bytes});
  }

  void add_together(BlockRead& block) {
    const std::size_t first = first_page(std::ranges::min(block.pieces, {}, first_page));
    const std::size_t last = last_page(std::ranges::max(block.pieces, {}, last_page));
    const std::size_t begin = page_begin(block, first);
    const MutableBytes pages = allocate(page_begin(block, last + 1) - begin);
    add_run(block, first, pages);
    for (const BlockPiece& piece : block.pieces) {
      copies_.push_back({pages.subspan(piece.begin - begin, piece.out.size()), piece.out});
    }
  }

  void add_piece(BlockRead& block, const BlockPiece& piece) {
    const std::size_t end = piece.begin + piece.out.size();
    std::size_t first = first_page(piece);
    std::size_t last = last_page(piece);
    const bool begins_inside = page_begin(block, first) != piece.begin;
    const bool ends_inside = page_begin(block, last + 1) != end;
    if (begins_inside || (ends_inside && first == last)) add_edge(block, first++, piece);
    if (ends_inside && first <= last) add_edge(block, last--, piece);
    if (first > last) return;
    const std::size_t begin = page_begin(block, first);
    const std::size_t size = page_begin(block, last + 1) - begin;
    add_run(block, first, piece.out.subspan(begin - piece.begin, size));
  }

  // A page of which the piece has a part.
  void add_edge(BlockRead& block, std::size_t page, const BlockPiece& piece) {
    const std::size_t begin = page_begin(block, page);
    const std::size_t end = page_begin(block, page + 1);
    const MutableBytes bytes = allocate(end - begin);
    add_run(block, page, bytes);
    const std::size_t from = std::max(begin, piece.begin);
    const std::size_t size = std::min(end, piece.begin + piece.out.size()) - from;
    copies_.push_back(
        {bytes.subspan(from - begin, size), piece.out.subspan(from - piece.begin, size)});
  }

  static void note(BlockRead& block, const Status& status) {
    if (status.ok() || block.outcome != BlockOutcome::kServed) return;
    block.outcome = status.code() == Code::kNotFound  ? BlockOutcome::kAbsent
                    : status.code() == Code::kCorrupt ? BlockOutcome::kDamaged
                                                      : BlockOutcome::kUnreadable;
  }

  void verify(const Check& check) {
    BlockRead& block = *check.block;
    if (block.outcome != BlockOutcome::kServed) return;
    const auto runs = std::span(runs_).subspan(check.first_run, check.num_runs);
    if (is_footer_of(block.id, block.data_bytes, check.footer) &&
        std::ranges::all_of(runs, [&](const PageRun& run) { return is_good(run, check.footer); })) {
      checked_.add(identity_of(block), pages_of(block));
    } else {
      block.outcome = BlockOutcome::kDamaged;
    }
  }

  static bool is_good(const PageRun& run, Bytes footer) {
    std::size_t page = run.first_page;
    for (std::size_t begin = 0; begin < run.bytes.size(); begin += kPageBytes, ++page) {
      const std::size_t size = std::min(kPageBytes, run.bytes.size() - begin);
      if (page_hash(run.bytes.subspan(begin, size)) != stored_page_hash(footer, page)) return false;
    }
    return true;
  }

  const Storage& storage_;
  CheckedPages& checked_;
  std::vector<ReadRequest> requests_;
  std::vector<BlockRead*> readers_;  // of each request
  std::vector<Check> checks_;
  std::vector<PageRun> runs_;
  std::vector<Copy> copies_;
  std::vector<std::unique_ptr<std::byte[]>> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace

void BlockReader::read(std::span<BlockRead* const> blocks) const {
  Batch batch(*storage_, checked_);
  for (BlockRead* block : blocks) batch.add(*block);
  batch.run();
}

}  // namespace penstock::storage
