// Decompresses arbitrary bytes. The first byte chooses how large the pieces are.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "penstock/format/decompress.h"

namespace {

using penstock::Bytes;
using penstock::format::Compression;

// Small inputs may decompress to gigabytes; what comes after this much is no different.
constexpr std::size_t kMaxOutput = 1 << 20;

void require(bool is_true) {
  if (!is_true) std::abort();
}

void decompress(Compression compression, Bytes in, std::size_t step) {
  const auto decompressor = penstock::format::make_decompressor(compression);
  require(decompressor.ok());
  std::array<std::byte, 512> out;
  std::size_t total = 0;
  while (total < kMaxOutput) {
    const auto progress = (*decompressor)->run(in.first(std::min(step, in.size())), out);
    if (!progress.ok()) return;
    require(progress->consumed <= std::min(step, in.size()));
    require(progress->produced <= out.size());
    require(progress->is_finished == (*decompressor)->finish().ok());
    in = in.subspan(progress->consumed);
    total += progress->produced;
    if (in.empty() && progress->produced < out.size()) return;
    require(progress->consumed > 0 || progress->produced > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes in = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t step = 1 + std::size_t{data[0]} * 4;
  decompress(Compression::kGzip, in, step);
  decompress(Compression::kZstd, in, step);
  return 0;
}
