// Decoding JPEGs: whole, as random crops, with entry points and without, and by libjpeg-turbo alone
// for comparison.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <vector>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "penstock/decode/decode.h"
#include "penstock/decode/jpeg/test_images.h"

namespace penstock::decode {
namespace {

// The coarsest decode that leaves at least 224 pixels along both sides.
int eighths_for_224(const Rect& region) {
  const int side = std::min(region.width, region.height);
  return std::clamp((224 * 8 + side - 1) / side, 1, 8);
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

using Points = std::vector<std::vector<std::byte>>;

// The entry points of every image.
Points learnt_points() {
  Points points;
  DecodeScratch scratch;
  scratch.learns_entry_points = true;
  for (const Encoded& bytes : bench_images()) {
    const auto size = probe_image(bytes, {});
    const bool is_good =
        size.ok() && decode_image(bytes, {{0, 0, size->width, size->height}}, {}, scratch).ok();
    points.push_back(is_good ? scratch.learnt : std::vector<std::byte>());
  }
  return points;
}

// Each iteration decodes every image once; with entry points if there are some.
template <class Request>
void decode_all(benchmark::State& state, const Points& points, Request request) {
  const std::vector<Encoded>& images = bench_images();
  DecodeScratch scratch;
  const DecodeOptions options;
  Rng rng({.seed = 11});
  Counts counts;
  for (auto _ : state) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const Encoded& bytes = images[i];
      const auto size = probe_image(bytes, options);
      if (!size.ok()) continue;
      const EncodedImage image(bytes, points.empty() ? Bytes() : Bytes(points[i]));
      const auto part = decode_image(image, request(*size, rng), options, scratch);
      if (part.ok()) counts.add(*size);
    }
  }
  counts.report(state);
}

void BM_decode_full(benchmark::State& state) {
  decode_all(state, {},
             [](ImageSize size, Rng&) { return ImageRequest{{0, 0, size.width, size.height}}; });
}
BENCHMARK(BM_decode_full)->Unit(benchmark::kMillisecond);

void BM_decode_crop(benchmark::State& state) {
  decode_all(state, {},
             [](ImageSize size, Rng& rng) { return ImageRequest{random_crop(size, rng)}; });
}
BENCHMARK(BM_decode_crop)->Unit(benchmark::kMillisecond);

void BM_decode_crop_from_points(benchmark::State& state) {
  decode_all(state, learnt_points(),
             [](ImageSize size, Rng& rng) { return ImageRequest{random_crop(size, rng)}; });
}
BENCHMARK(BM_decode_crop_from_points)->Unit(benchmark::kMillisecond);

void BM_decode_crop_shrunken(benchmark::State& state) {
  decode_all(state, {}, [](ImageSize size, Rng& rng) {
    const Rect region = random_crop(size, rng);
    return ImageRequest{region, eighths_for_224(region)};
  });
}
BENCHMARK(BM_decode_crop_shrunken)->Unit(benchmark::kMillisecond);

void BM_probe(benchmark::State& state) {
  const std::vector<Encoded>& images = bench_images();
  Counts counts;
  for (auto _ : state) {
    for (const Encoded& bytes : images) {
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
  const std::vector<Encoded>& images = bench_images();
  Counts counts;
  for (auto _ : state) {
    for (const Encoded& bytes : images) {
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
