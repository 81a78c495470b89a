// Decoding JPEGs: whole, as random crops, and by libjpeg-turbo alone for comparison. The files come
// from the folder that PENSTOCK_BENCH_JPEGS names, or are one made-up photograph.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "penstock/base/rng.h"
#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/encode.h"

namespace penstock::decode {
namespace {

using Encoded = std::vector<std::byte>;

Encoded made_up_photograph() {
  constexpr int kWidth = 500, kHeight = 375;
  std::vector<std::uint8_t> pixels;
  Rng rng({.seed = 1});
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double wave = 50 * std::sin(x * 0.05 + c) + 40 * std::cos(y * 0.07 - c);
        pixels.push_back(static_cast<std::uint8_t>(110 + wave + rng.below(25)));
      }
    }
  }
  const ImageView view{pixels.data(), kWidth, kHeight, 3, kWidth * 3};
  return encode_jpeg(view, {.quality = 95, .sampling = ChromaSampling::k444}).value();
}

std::vector<Encoded> load_images() {
  std::vector<Encoded> images;
  if (const char* folder = std::getenv("PENSTOCK_BENCH_JPEGS")) {
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

// A box as RandomResizedCrop draws it: 8 % to 100 % of the area, 3:4 to 4:3.
Rect random_crop(ImageSize size, Rng& rng) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = size.width * static_cast<double>(size.height) * rng.uniform(0.08, 1.0);
    const double ratio = std::exp(rng.uniform(std::log(3.0 / 4), std::log(4.0 / 3)));
    const int width = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (width < 1 || height < 1 || width > size.width || height > size.height) continue;
    return {static_cast<int>(rng.below(static_cast<unsigned>(size.width - width + 1))),
            static_cast<int>(rng.below(static_cast<unsigned>(size.height - height + 1))), width,
            height};
  }
  const int side = std::min(size.width, size.height);
  return {(size.width - side) / 2, (size.height - side) / 2, side, side};
}

// The coarsest decode that leaves at least 224 pixels along both sides.
int shrink_to_224(const Rect& region) {
  int shrink = 1;
  while (shrink < 8 && std::min(region.width, region.height) / (shrink * 2) >= 224) shrink *= 2;
  return shrink;
}

struct Counts {
  std::int64_t images = 0;
  std::int64_t pixels = 0;  // of the files, decoded or not

  void add(ImageSize size) {
    ++images;
    pixels += std::int64_t{size.width} * size.height;
  }
  void report(benchmark::State& state) const {
    state.SetItemsProcessed(images);
    state.counters["MPix"] =
        benchmark::Counter(static_cast<double>(pixels) / 1e6, benchmark::Counter::kIsRate);
  }
};

// Each iteration decodes every image once.
template <class Request>
void decode_all(benchmark::State& state, Request request) {
  DecodeScratch scratch;
  const DecodeOptions options;
  Rng rng({.seed = 11});
  Counts counts;
  for (auto _ : state) {
    for (const Encoded& bytes : images()) {
      const auto size = probe_image(bytes, options);
      if (!size.ok()) continue;
      const auto part = decode_image(bytes, request(*size, rng), options, scratch);
      if (part.ok()) counts.add(*size);
    }
  }
  counts.report(state);
}

void BM_decode_full(benchmark::State& state) {
  decode_all(state,
             [](ImageSize size, Rng&) { return ImageRequest{{0, 0, size.width, size.height}}; });
}
BENCHMARK(BM_decode_full)->Unit(benchmark::kMillisecond);

void BM_decode_crop(benchmark::State& state) {
  decode_all(state, [](ImageSize size, Rng& rng) { return ImageRequest{random_crop(size, rng)}; });
}
BENCHMARK(BM_decode_crop)->Unit(benchmark::kMillisecond);

void BM_decode_crop_shrunken(benchmark::State& state) {
  decode_all(state, [](ImageSize size, Rng& rng) {
    const Rect region = random_crop(size, rng);
    return ImageRequest{region, shrink_to_224(region)};
  });
}
BENCHMARK(BM_decode_crop_shrunken)->Unit(benchmark::kMillisecond);

void BM_probe(benchmark::State& state) {
  Counts counts;
  for (auto _ : state) {
    for (const Encoded& bytes : images()) {
      const auto size = probe_image(bytes, {});
      if (size.ok()) counts.add(*size);
    }
  }
  counts.report(state);
}
BENCHMARK(BM_probe)->Unit(benchmark::kMicrosecond);

// libjpeg-turbo with as little around it as can be: the whole image, or with `crops` a region that
// is neither checked nor exact at its borders.
void libjpeg_alone(benchmark::State& state, bool crops) {
  std::vector<std::uint8_t> out;
  Rng rng({.seed = 11});
  Counts counts;
  for (auto _ : state) {
    for (const Encoded& bytes : images()) {
      jpeg_decompress_struct cinfo;
      jpeg_error_mgr errors;
      cinfo.err = jpeg_std_error(&errors);
      errors.emit_message = [](j_common_ptr, int) {};
      jpeg_create_decompress(&cinfo);
      jpeg_mem_src(&cinfo, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      jpeg_read_header(&cinfo, TRUE);
      const ImageSize size{static_cast<int>(cinfo.image_width),
                           static_cast<int>(cinfo.image_height)};
      if (cinfo.num_components != 4) cinfo.out_color_space = JCS_RGB;
      jpeg_start_decompress(&cinfo);
      const Rect region = crops ? random_crop(size, rng) : Rect{0, 0, size.width, size.height};
      JDIMENSION x = static_cast<JDIMENSION>(region.x);
      JDIMENSION width = static_cast<JDIMENSION>(region.width);
      jpeg_crop_scanline(&cinfo, &x, &width);
      jpeg_skip_scanlines(&cinfo, static_cast<JDIMENSION>(region.y));
      const std::size_t row_bytes = std::size_t{width} * 4;
      out.resize(std::max(out.size(), row_bytes * static_cast<std::size_t>(region.height)));
      for (int y = 0; y < region.height; ++y) {
        JSAMPROW row = out.data() + row_bytes * static_cast<std::size_t>(y);
        jpeg_read_scanlines(&cinfo, &row, 1);
      }
      jpeg_destroy_decompress(&cinfo);
      counts.add(size);
    }
  }
  counts.report(state);
}

void BM_libjpeg_full(benchmark::State& state) { libjpeg_alone(state, false); }
BENCHMARK(BM_libjpeg_full)->Unit(benchmark::kMillisecond);

void BM_libjpeg_crop(benchmark::State& state) { libjpeg_alone(state, true); }
BENCHMARK(BM_libjpeg_crop)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penstock::decode
