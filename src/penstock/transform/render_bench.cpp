#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

#include "penstock/transform/chain.h"
#include "penstock/transform/render.h"

namespace penstock::transform {
namespace {

struct Task {
  ImageSize in;
  Geometry geometry;
  Colour colour;
  PixelFormat format;
};

Colour imagenet_normalization() {
  return {.is_normalized = true, .mean = {0.485, 0.456, 0.406}, .deviation = {0.229, 0.224, 0.225}};
}

// Sources and outputs are taken in turn, as in a loader: sources come out of a cache, outputs go to
// a batch that no cache holds.
void run(benchmark::State& state, const Task& task) {
  constexpr std::size_t kNumImages = 4;
  constexpr std::size_t kBatchBytes = 128 << 20;
  const auto channels = static_cast<std::size_t>(task.format.channels);
  const auto width = static_cast<std::size_t>(task.in.width);
  const auto height = static_cast<std::size_t>(task.in.height);
  std::vector<std::uint8_t> in(kNumImages * width * height * channels);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 7 + i / 13);
  const ImageSize out_size = task.geometry.output_size();
  const std::size_t out_bytes = static_cast<std::size_t>(out_size.width) *
                                static_cast<std::size_t>(out_size.height) * channels *
                                size_bytes(task.format.dtype);
  const std::size_t batch_size = kBatchBytes / out_bytes;
  std::vector<std::byte> out(batch_size * out_bytes);
  RenderScratch scratch;
  std::size_t i = 0;
  for (auto _ : state) {
    ++i;
    const ImagePart part{
        .pixels = {in.data() + i % kNumImages * width * height * channels, task.in.width,
                   task.in.height, task.format.channels, width * channels},
        .full_size = task.in};
    render(part, task.geometry, task.colour, task.format, scratch,
           std::span(out).subspan(i % batch_size * out_bytes, out_bytes));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(width * height * channels + out_bytes));
}

// The usual training transform: a window of the given side, resized, mirrored, normalised.
void BM_resized_crop(benchmark::State& state) {
  const int side = static_cast<int>(state.range(0));
  const ImageSize in{side, side}, out{224, 224};
  run(state, {.in = in,
              .geometry = compose(resized(in, out, Filter::kBilinear), mirrored(out)),
              .colour = imagenet_normalization(),
              .format = {DType::kF32, Layout::kCHW, 3}});
}
BENCHMARK(BM_resized_crop)->ArgName("side")->Arg(150)->Arg(224)->Arg(300)->Arg(400)->Arg(768);

// Windows that differ from image to image, so that weights are made anew each time.
void BM_changing_crop(benchmark::State& state) {
  const ImageSize in{320, 320}, out{224, 224};
  std::vector<std::uint8_t> pixels(320 * 320 * 3, 77);
  std::vector<float> values(224 * 224 * 3);
  RenderScratch scratch;
  int i = 0;
  for (auto _ : state) {
    i = (i + 1) % 16;
    const Rect window{i, i, 304 - i, 303 - i};
    const Geometry geometry = compose(
        cropped(in, window), resized({window.width, window.height}, out, Filter::kBilinear));
    render({.pixels = {pixels.data(), 320, 320, 3, 960}, .full_size = in}, geometry,
           imagenet_normalization(), {DType::kF32, Layout::kCHW, 3}, scratch,
           std::as_writable_bytes(std::span(values)));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_changing_crop);

void BM_resized_formats(benchmark::State& state, DType dtype, Layout layout) {
  const ImageSize in{300, 300}, out{224, 224};
  run(state,
      {.in = in, .geometry = resized(in, out, Filter::kBilinear), .format = {dtype, layout, 3}});
}
BENCHMARK_CAPTURE(BM_resized_formats, u8_hwc, DType::kU8, Layout::kHWC);
BENCHMARK_CAPTURE(BM_resized_formats, u8_chw, DType::kU8, Layout::kCHW);
BENCHMARK_CAPTURE(BM_resized_formats, f16_chw, DType::kF16, Layout::kCHW);
BENCHMARK_CAPTURE(BM_resized_formats, f32_hwc, DType::kF32, Layout::kHWC);

void BM_resized_jittered(benchmark::State& state) {
  const ImageSize in{300, 300}, out{224, 224};
  run(state, {.in = in,
              .geometry = resized(in, out, Filter::kBilinear),
              .colour = compose(saturated(0.7), imagenet_normalization()),
              .format = {DType::kF32, Layout::kCHW, 3}});
}
BENCHMARK(BM_resized_jittered);

void BM_resized_bicubic(benchmark::State& state) {
  const ImageSize in{300, 300}, out{224, 224};
  run(state, {.in = in,
              .geometry = resized(in, out, Filter::kBicubic),
              .colour = imagenet_normalization(),
              .format = {DType::kF32, Layout::kCHW, 3}});
}
BENCHMARK(BM_resized_bicubic);

// Nothing is resampled: small images of an array, mirrored and normalised.
void BM_mirrored(benchmark::State& state) {
  const int side = static_cast<int>(state.range(0));
  const ImageSize in{side, side};
  run(state, {.in = in,
              .geometry = mirrored(in),
              .colour = imagenet_normalization(),
              .format = {DType::kF32, Layout::kCHW, 3}});
}
BENCHMARK(BM_mirrored)->ArgName("side")->Arg(32)->Arg(224);

void BM_normalized(benchmark::State& state) {
  const int side = static_cast<int>(state.range(0));
  const ImageSize in{side, side};
  run(state, {.in = in,
              .geometry = unchanged(in),
              .colour = imagenet_normalization(),
              .format = {DType::kF32, Layout::kCHW, 3}});
}
BENCHMARK(BM_normalized)->ArgName("side")->Arg(32)->Arg(224);

void BM_copied(benchmark::State& state) {
  const int side = static_cast<int>(state.range(0));
  const ImageSize in{side, side};
  run(state, {.in = in, .geometry = unchanged(in), .format = {DType::kU8, Layout::kHWC, 3}});
}
BENCHMARK(BM_copied)->ArgName("side")->Arg(32)->Arg(224);

// Drawing and composing, without pixels.
void BM_draw(benchmark::State& state) {
  const std::vector<OptionText> texts = {
      {"random_resized_crop", {}}, {"random_flip", {}}, {"normalize", {}}};
  const Result<Chain> chain = make_chain(texts);
  RngKey key{.seed = 7};
  for (auto _ : state) {
    ++key.sample;
    benchmark::DoNotOptimize(chain->draw({500, 375}, key));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_draw);

}  // namespace
}  // namespace penstock::transform
