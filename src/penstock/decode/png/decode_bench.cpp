// Decoding PNGs: whole and as crops, by libspng for comparison, and how much of it is inflating.
// The files come from the folder that PENSTOCK_BENCH_PNGS names, or are one made-up photograph.
#include <benchmark/benchmark.h>
#include <spng.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/png/adam7.h"
#include "penstock/decode/png/chunks.h"
#include "penstock/decode/png/decode.h"
#include "penstock/decode/png/encode.h"
#include "penstock/decode/png/inflate.h"

namespace penstock::decode {
namespace {

using Encoded = std::vector<std::byte>;

constexpr int kSide = 768;

Encoded made_up_photograph() {
  std::vector<std::uint8_t> pixels;
  Rng rng({.seed = 1});
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const double shade = 110 + 50 * std::sin(x * 0.05) + 40 * std::cos(y * 0.07 - x * 0.01);
      const auto noise = rng.below(6);
      for (int c = 0; c < 3; ++c) {
        pixels.push_back(static_cast<std::uint8_t>(shade + 10 * c + noise + rng.below(4)));
      }
    }
  }
  return encode_png({pixels.data(), kSide, kSide, 3, kSide * 3}).value();
}

std::vector<Encoded> load_images() {
  std::vector<Encoded> images;
  if (const char* folder = std::getenv("PENSTOCK_BENCH_PNGS")) {
    for (const auto& found : std::filesystem::recursive_directory_iterator(folder)) {
      if (!found.is_regular_file()) continue;
      std::ifstream file(found.path(), std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      const auto* begin = reinterpret_cast<const std::byte*>(text.data());
      images.emplace_back(begin, begin + text.size());
    }
  }
  if (images.empty()) images.push_back(made_up_photograph());
  return images;
}

const std::vector<Encoded>& images() {
  static const std::vector<Encoded> loaded = load_images();
  return loaded;
}

// Calls decode(file, format) for every image in each iteration. Bytes are those of its rows.
template <class Decode>
void for_each_image(benchmark::State& state, Decode decode) {
  std::int64_t num_images = 0, num_bytes = 0;
  for (auto _ : state) {
    for (const Encoded& file : images()) {
      const auto format = read_png_format(file);
      if (!format.ok() || !decode(file, *format)) continue;
      ++num_images;
      num_bytes += static_cast<std::int64_t>(PngPasses(*format).size_bytes());
    }
  }
  state.SetItemsProcessed(num_images);
  state.SetBytesProcessed(num_bytes);
}

void decode_part(benchmark::State& state, Rect (*region)(ImageSize), bool checks_sums) {
  DecodeScratch scratch;
  for_each_image(state, [&](Bytes file, const PngFormat& format) {
    return decode_png(file, {region(format.size)}, {.checks_sums = checks_sums}, scratch).ok();
  });
}

Rect whole(ImageSize size) { return {0, 0, size.width, size.height}; }

void BM_png_whole(benchmark::State& state) { decode_part(state, whole, false); }
BENCHMARK(BM_png_whole)->Unit(benchmark::kMillisecond);

void BM_png_whole_with_sums(benchmark::State& state) { decode_part(state, whole, true); }
BENCHMARK(BM_png_whole_with_sums)->Unit(benchmark::kMillisecond);

void BM_png_middle_quarter(benchmark::State& state) {
  decode_part(
      state,
      [](ImageSize size) {
        return Rect{size.width / 4, size.height / 4, (size.width + 1) / 2, (size.height + 1) / 2};
      },
      false);
}
BENCHMARK(BM_png_middle_quarter)->Unit(benchmark::kMillisecond);

void BM_png_inflate_alone(benchmark::State& state) {
  Inflater inflater;
  std::vector<std::byte> joined, rows;
  for_each_image(state, [&](Bytes file, const PngFormat& format) {
    const auto chunks = read_png_chunks(file, false);
    if (!chunks.ok()) return false;
    const std::size_t rows_bytes = PngPasses(format).size_bytes();
    joined.resize(std::max(joined.size(), chunks->data_bytes));
    rows.resize(std::max(rows.size(), rows_bytes + kInflateSlackBytes));
    return inflater.inflate(png_data(file, *chunks, joined.data()), rows, rows_bytes, false).ok();
  });
}
BENCHMARK(BM_png_inflate_alone)->Unit(benchmark::kMillisecond);

void BM_spng_whole(benchmark::State& state) {
  std::vector<std::uint8_t> out;
  for_each_image(state, [&](Bytes file, const PngFormat& format) {
    spng_ctx* context = spng_ctx_new(0);
    spng_set_png_buffer(context, file.data(), file.size());
    out.resize(std::max(out.size(), static_cast<std::size_t>(format.size.width) *
                                        static_cast<std::size_t>(format.size.height) * 3));
    std::size_t size = 0;
    spng_decoded_image_size(context, SPNG_FMT_RGB8, &size);
    const int error = spng_decode_image(context, out.data(), size, SPNG_FMT_RGB8, 0);
    spng_ctx_free(context);
    return error == 0;
  });
}
BENCHMARK(BM_spng_whole)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock::decode
