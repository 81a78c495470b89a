// Reads ranges of blocks from their files, and nothing that is damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penstock/storage/cache/block_file.h"
#include "penstock/storage/cache/block_store.h"
#include "penstock/storage/cache/checked_pages.h"
#include "penstock/storage/storage.h"

namespace penstock::storage {

// Bytes of a block that go to a caller. Not empty, and inside the block.
struct BlockPiece {
  std::size_t request = 0;  // of the caller
  std::size_t begin = 0;    // in the block
  MutableBytes out;
};

enum class BlockOutcome : std::uint8_t {
  kServed,
  kAbsent,
  kDamaged,
  kUnreadable,  // for a reason that has nothing to do with its bytes
};

struct BlockRead {
  BlockId id;
  std::size_t data_bytes = 0;
  std::string path;  // of the file
  std::span<const BlockPiece> pieces;
  // Answers. Unless the block is served what lies in `out` of its pieces is of no use.
  BlockOutcome outcome = BlockOutcome::kAbsent;
  BlockState state;  // unless it is absent
};

// Safe from any thread.
//
// A page is checked against its hash when it is read for the first time in this process, and again
// after any change of the file. Pages that are known to be good cost what local reads cost.
class BlockReader {
 public:
  BlockReader() : storage_(make_local_storage()) {}

  void read(std::span<BlockRead* const> blocks) const;

 private:
  const std::unique_ptr<Storage> storage_;
  mutable CheckedPages checked_;
};

}  // namespace penstock::storage
