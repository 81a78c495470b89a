// The inverse DCT, beside memcpy of its coefficients and samples.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/jpeg/entropy.h"
#include "penstock/decode/jpeg/idct.h"
#include "penstock/decode/jpeg/test_limit.h"

namespace penstock::decode {
namespace {

// Rows of blocks as scan.cpp hands them over, each block with a few coefficients. They are zero
// after the first round, which makes no difference to the time.
void BM_inverse_dct(benchmark::State& state) {
  const auto num_blocks = static_cast<std::size_t>(state.range(0));
  std::vector<std::int16_t> coefficients(num_blocks * kBlockSize);
  const auto num = static_cast<int>(state.range(1));
  std::vector<std::uint8_t> samples(num_blocks * kBlockSize);
  Rng rng({.seed = 1});
  for (auto& coefficient : coefficients) {
    if (rng.below(8) == 0) coefficient = static_cast<std::int16_t>(rng.below(20));
  }
  QuantTable quant;
  quant.fill(3);
  const std::vector<std::int16_t> coefficient_source(coefficients.size());
  const std::vector<std::uint8_t> sample_source(samples.size());
  run_beside_limit(
      state,
      [&] {
        benchmark::DoNotOptimize(inverse_dct({.coefficients = coefficients.data(),
                                              .num_blocks = static_cast<int>(num_blocks),
                                              .block = {num, num},
                                              .samples = samples.data(),
                                              .stride = num_blocks * kBlockSide},
                                             quant));
      },
      [&] {
        std::memcpy(coefficients.data(), coefficient_source.data(),
                    coefficients.size() * sizeof(coefficients[0]));
        std::memcpy(samples.data(), sample_source.data(),
                    num_blocks * static_cast<std::size_t>(num * num));
        benchmark::DoNotOptimize(coefficients.data());
        benchmark::DoNotOptimize(samples.data());
      });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(num_blocks));
}
BENCHMARK(BM_inverse_dct)
    ->ArgNames({"blocks", "samples"})
    ->ArgsProduct({{32}, {8, 7, 6, 5, 4, 3, 2, 1}})
    ->Args({2048, 8});

}  // namespace
}  // namespace penstock::decode
