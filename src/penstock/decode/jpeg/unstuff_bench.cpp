// Scans without stuffing, beside memcpy of the same bytes.
#include <benchmark/benchmark.h>

#include <cstring>

#include "penstock/decode/jpeg/test_images.h"
#include "penstock/decode/jpeg/test_limit.h"
#include "penstock/decode/jpeg/unstuff.h"

namespace penstock::decode {
namespace {

void BM_unstuff(benchmark::State& state) {
  std::vector<Bytes> scans;
  std::size_t most = 0, sum = 0;
  for (const Encoded& bytes : bench_images()) {
    scans.push_back(Bytes(bytes).subspan(read_frame(bytes)->scan_begin));
    most = std::max(most, scans.back().size());
    sum += scans.back().size();
  }
  std::vector<std::uint8_t> out(most + kUnstuffSlack);
  std::vector<std::uint32_t> stuffed;
  run_beside_limit(
      state,
      [&] {
        for (const Bytes scan : scans) {
          stuffed.clear();
          benchmark::DoNotOptimize(unstuff(scan, out.data(), stuffed));
        }
      },
      [&] {
        for (const Bytes scan : scans) {
          std::memcpy(out.data(), scan.data(), scan.size());
          benchmark::DoNotOptimize(out.data());
        }
      });
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sum));
}
BENCHMARK(BM_unstuff);

}  // namespace
}  // namespace penstock::decode
