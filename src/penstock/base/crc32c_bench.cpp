// How fast bytes are checked, with the CPU's instruction and with tables.
#include <benchmark/benchmark.h>

#include <vector>

#include "penstock/base/crc32c.h"

namespace penstock {
namespace {

template <std::uint32_t (*checksum)(Bytes)>
void BM_checksum(benchmark::State& state) {
  const std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)), std::byte{17});
  for (auto _ : state) benchmark::DoNotOptimize(checksum(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_checksum<crc32c>)->Name("crc32c")->ArgName("bytes")->Arg(8)->Arg(1000)->Arg(110'000);
BENCHMARK(BM_checksum<crc32c_portable>)
    ->Name("crc32c_portable")
    ->ArgName("bytes")
    ->Arg(8)
    ->Arg(1000)
    ->Arg(110'000);

}  // namespace
}  // namespace penstock
