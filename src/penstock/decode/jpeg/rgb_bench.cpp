// Upsampling and colour conversion, beside memcpy of the pixels.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/jpeg/rgb.h"
#include "penstock/decode/jpeg/test_limit.h"

namespace penstock::decode {
namespace {

void BM_convert_to_rgb(benchmark::State& state) {
  const ImageSize size{500, 375};
  YccImage image{.columns = static_cast<int>(state.range(0)),
                 .rows = static_cast<int>(state.range(1))};
  std::array<PixelBuffer, 3> memory;
  Rng rng({.seed = 1});
  for (std::size_t c = 0; c < 3; ++c) {
    const int columns = c == 0 ? 1 : image.columns, rows = c == 0 ? 1 : image.rows;
    const ImageSize full{(size.width + columns - 1) / columns, (size.height + rows - 1) / rows};
    const int slack = 2 * static_cast<int>(kSampleSlack);
    const MutableImage plane = memory[c].prepare({full.width + slack, full.height}, 1);
    for (int y = 0; y < plane.height; ++y) {
      for (int x = 0; x < plane.width; ++x) {
        plane.row(y)[x] = static_cast<std::uint8_t>(rng.below(256));
      }
    }
    image.planes[c] = {
        .data = plane.data + kSampleSlack, .stride = plane.stride, .full_size = full};
  }
  PixelBuffer lines, pixels;
  const MutableImage out = pixels.prepare(size, 3);
  const std::vector<std::uint8_t> source(out.stride * static_cast<std::size_t>(out.height));
  run_beside_limit(
      state, [&] { convert_to_rgb(image, {0, 0, size.width, size.height}, lines, out); },
      [&] {
        std::memcpy(out.data, source.data(), source.size());
        benchmark::DoNotOptimize(out.data);
      });
  state.SetItemsProcessed(state.iterations() * std::int64_t{size.width} * size.height);
}
BENCHMARK(BM_convert_to_rgb)
    ->ArgNames({"columns", "rows"})
    ->Args({1, 1})
    ->Args({2, 1})
    ->Args({2, 2})
    ->Args({1, 2})
    ->Args({4, 1});

}  // namespace
}  // namespace penstock::decode
