// Undoing filters, beside copying as many bytes: how far each is from the limit.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/png/unfilter.h"

namespace penstock::decode {
namespace {

constexpr int kWidth = 768;

std::vector<std::uint8_t> noise(std::size_t size) {
  Rng rng({.seed = 5});
  std::vector<std::uint8_t> bytes(size + kUnfilterSlackBytes);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.below(256));
  return bytes;
}

void BM_unfilter_row(benchmark::State& state) {
  const auto pixel_bytes = static_cast<std::size_t>(state.range(1));
  const std::size_t size = kWidth * pixel_bytes;
  const UnfilterRow unfilter =
      choose_unfilters(static_cast<int>(pixel_bytes))[static_cast<std::size_t>(state.range(0))];
  const std::vector<std::uint8_t> above = noise(size);
  std::vector<std::uint8_t> row = noise(size);
  for (auto _ : state) {
    unfilter(row.data(), above.data(), size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}
BENCHMARK(BM_unfilter_row)
    ->ArgNames({"filter", "pixel_bytes"})
    ->ArgsProduct({{1, 2, 3, 4}, {1, 2, 3, 4, 6, 8}});

void BM_copy_row(benchmark::State& state) {
  const std::size_t size = kWidth * static_cast<std::size_t>(state.range(0));
  const std::vector<std::uint8_t> from = noise(size);
  std::vector<std::uint8_t> to(size);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), size);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}
BENCHMARK(BM_copy_row)->ArgName("pixel_bytes")->Arg(1)->Arg(3)->Arg(8);

}  // namespace
}  // namespace penstock::decode
