// Making lookup tables, beside memset of their memory.
#include <benchmark/benchmark.h>

#include <cstring>

#include "penstock/decode/jpeg/huffman.h"
#include "penstock/decode/jpeg/test_images.h"
#include "penstock/decode/jpeg/test_limit.h"

namespace penstock::decode {
namespace {

// More codes in turn than are kept, so that each is made anew.
template <class Find>
void make_tables(benchmark::State& state, HuffmanSpec code, std::size_t table_bytes, Find find) {
  HuffmanTables tables;
  constexpr std::size_t kNumCodes = 9;
  std::vector<HuffmanSpec> codes(kNumCodes, code);
  // Symbols behind the last code are of no meaning, but tell codes apart.
  for (std::size_t i = 0; i < kNumCodes; ++i) codes[i].symbols[255] = static_cast<std::uint8_t>(i);
  std::vector<std::byte> memory(table_bytes);
  run_beside_limit(
      state,
      [&] {
        for (const HuffmanSpec& one : codes) benchmark::DoNotOptimize(find(tables, one));
      },
      [&] {
        for (std::size_t i = 0; i < kNumCodes; ++i) {
          std::memset(memory.data(), static_cast<int>(i), memory.size());
          benchmark::DoNotOptimize(memory.data());
        }
      });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kNumCodes));
}

void BM_make_dc_table(benchmark::State& state) {
  const Frame frame = *read_frame(bench_images()[0]);
  make_tables(state, frame.dc_codes[0], sizeof(DcTable),
              [](HuffmanTables& tables, const HuffmanSpec& code) { return tables.dc(code); });
}
BENCHMARK(BM_make_dc_table);

void BM_make_ac_table(benchmark::State& state) {
  const Frame frame = *read_frame(bench_images()[0]);
  make_tables(state, frame.ac_codes[0], sizeof(AcTable),
              [](HuffmanTables& tables, const HuffmanSpec& code) { return tables.ac(code); });
}
BENCHMARK(BM_make_ac_table);

}  // namespace
}  // namespace penstock::decode
