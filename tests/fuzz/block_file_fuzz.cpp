// Arbitrary bytes as a block of the cache. Its footer must be known again, must not be that of
// another block, and arbitrary bytes must not be taken for one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "penstock/storage/cache/block_file.h"

namespace {

using namespace penstock::storage;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

// Bytes that claim to be the footer of a block of `data_bytes`.
void check_claim(BlockId id, std::size_t data_bytes, penstock::Bytes footer) {
  if (!is_footer_of(id, data_bytes, footer)) return;
  require(footer.size() == footer_bytes(data_bytes));
  for (std::size_t page = 0; page < num_pages(data_bytes); ++page) stored_page_hash(footer, page);
}

// The first bytes say whose it is and what is damaged, the others are the block.
void check_block(std::uint8_t key, std::uint8_t damage, penstock::Bytes block) {
  const BlockId id{key, 3};
  std::vector<std::byte> footer = make_footer(id, block);
  require(is_footer_of(id, block.size(), footer));
  require(!is_footer_of({id.key, 4}, block.size(), footer));
  require(!is_footer_of(id, block.size() + 1, footer));
  footer[damage % footer.size()] ^= std::byte{1};
  require(!is_footer_of(id, block.size(), footer));
  footer.resize(damage % footer.size());
  require(!is_footer_of(id, block.size(), footer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(2);
  check_claim({data[0], 3}, std::size_t{data[1]} * 256, bytes);
  check_block(data[0], data[1], bytes.first(std::min(bytes.size(), kBlockBytes)));
  return 0;
}
