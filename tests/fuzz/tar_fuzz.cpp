// Walks arbitrary bytes as a tar shard. The first byte chooses the window size, so that the shard
// is also seen through windows that end everywhere, and whether checksums are put right first:
// random bytes would hardly ever get past them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "penstock/format/sample_key.h"
#include "penstock/format/tar_reader.h"

namespace {

using penstock::Bytes;
using penstock::Code;
using penstock::format::TarReader;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

std::optional<std::uint64_t> next_header(Bytes shard, std::uint64_t position) {
  for (; position + TarReader::kBlock <= shard.size(); position += TarReader::kBlock) {
    if (penstock::format::is_tar_header(shard.subspan(position, TarReader::kBlock))) {
      return position;
    }
  }
  return std::nullopt;
}

// Returns how many records there are, those behind broken headers too.
std::size_t walk(Bytes shard, std::size_t window_size) {
  TarReader reader(shard.size());
  std::size_t size = window_size;
  std::size_t count = 0;
  for (;;) {
    const std::uint64_t position = reader.position();
    require(position <= shard.size());
    const Bytes rest = shard.subspan(position);
    const auto record = reader.next(rest.first(std::min(size, rest.size())));
    require(reader.position() >= position);
    if (record.status().code() == Code::kNeedMoreBytes) {
      require(reader.position() > position || reader.needed_bytes() > size);
      size = std::max<std::size_t>(window_size, reader.needed_bytes());
      continue;
    }
    if (!record.ok()) {
      require(reader.position() <= reader.search_position());
      const auto next = next_header(shard, reader.search_position());
      if (!next) return count;
      require(*next > reader.position());
      reader.resume_at(*next);
      continue;
    }
    if (!record->has_value()) return count;
    require((*record)->offset <= shard.size());
    require((*record)->size <= shard.size() - (*record)->offset);
    const auto split = penstock::format::split_sample_key((*record)->name);
    if (split) {
      require(split->key.size() + 1 + split->extension.size() == (*record)->name.size());
    }
    size = window_size;
    ++count;
  }
}

std::vector<std::uint8_t> with_right_checksums(std::span<const std::uint8_t> shard) {
  std::vector<std::uint8_t> out(shard.begin(), shard.end());
  for (std::size_t begin = 0; begin + 512 <= out.size(); begin += 512) {
    const std::span block = std::span(out).subspan(begin, 512);
    if (std::ranges::all_of(block, [](std::uint8_t b) { return b == 0; })) continue;
    const std::span field = block.subspan(148, 8);
    std::ranges::fill(field, ' ');
    unsigned sum = std::accumulate(block.begin(), block.end(), 0u);
    for (int i = 5; i >= 0; --i, sum >>= 3) field[i] = static_cast<std::uint8_t>('0' + (sum & 7));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data + 1, size - 1);
  std::vector<std::uint8_t> repaired;
  if (data[0] % 2 != 0) repaired = with_right_checksums(input);
  const Bytes shard =
      std::as_bytes(data[0] % 2 != 0 ? std::span<const std::uint8_t>(repaired) : input);
  const std::size_t whole = walk(shard, shard.size());
  require(walk(shard, std::size_t{data[0]} * 8) == whole);
  return 0;
}
