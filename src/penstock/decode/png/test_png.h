// PNG files of every kind for tests, put together from chunks.
#pragma once

#include <hwy/highway.h>
#include <libdeflate.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/rng.h"
#include "penstock/decode/png/adam7.h"
#include "penstock/decode/png/chunks.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

using Values = std::vector<std::uint8_t>;

inline Bytes bytes_of(const Values& values) { return std::as_bytes(std::span(values)); }

inline void append(Bytes more, Encoded& bytes) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

inline void append_number(std::size_t number, Encoded& bytes) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::byte>(number >> shift));
  }
}

inline Encoded png_chunk(std::string_view type, Bytes content) {
  Encoded chunk;
  append_number(content.size(), chunk);
  append(std::as_bytes(std::span(type)), chunk);
  append(content, chunk);
  append_number(libdeflate_crc32(0, chunk.data() + 4, chunk.size() - 4), chunk);
  return chunk;
}

// Signature and IHDR.
inline Encoded png_start(const PngFormat& format) {
  Encoded start;
  append(std::as_bytes(std::span(std::string_view("\x89PNG\r\n\x1a\n"))), start);
  Encoded header;
  append_number(static_cast<std::size_t>(format.size.width), header);
  append_number(static_cast<std::size_t>(format.size.height), header);
  for (const int value :
       {format.depth, static_cast<int>(format.colour), 0, 0, format.is_interlaced ? 1 : 0}) {
    header.push_back(static_cast<std::byte>(value));
  }
  append(png_chunk("IHDR", header), start);
  return start;
}

// A zlib stream. Level 0 stores.
inline Encoded deflated(Bytes bytes, int level = 6) {
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(level);
  Encoded out(libdeflate_zlib_compress_bound(compressor, bytes.size()));
  out.resize(
      libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

struct TestPng {
  PngFormat format;
  Values rows;  // of all passes, with their filters
  Values palette = {};
  std::size_t num_data_chunks = 1;
};

inline Encoded write_png(const TestPng& png) {
  Encoded file = png_start(png.format);
  if (!png.palette.empty()) append(png_chunk("PLTE", bytes_of(png.palette)), file);
  const Encoded data = deflated(bytes_of(png.rows));
  const std::size_t piece = data.size() / png.num_data_chunks;
  for (std::size_t i = 0; i < png.num_data_chunks; ++i) {
    const std::size_t end = i + 1 == png.num_data_chunks ? data.size() : (i + 1) * piece;
    append(png_chunk("IDAT", Bytes(data).subspan(i * piece, end - i * piece)), file);
  }
  append(png_chunk("IEND", {}), file);
  return file;
}

// Random rows of random filters, with a palette if the format has one.
inline TestPng random_png(const PngFormat& format, Rng& rng) {
  const PngPasses passes(format);
  TestPng png{format, Values(passes.size_bytes())};
  for (auto& byte : png.rows) byte = static_cast<std::uint8_t>(rng.below(256));
  for (const PngPass& pass : passes.passes()) {
    for (int y = 0; y < pass.size.height; ++y) {
      const std::size_t at = pass.offset + static_cast<std::size_t>(y) * (pass.row_bytes + 1);
      png.rows[at] = static_cast<std::uint8_t>(rng.below(5));
    }
  }
  if (format.colour == PngColour::kPalette) {
    png.palette.resize(3 * (1 + rng.below(1u << format.depth)));
    for (auto& byte : png.palette) byte = static_cast<std::uint8_t>(rng.below(256));
  }
  png.num_data_chunks = 1 + rng.below(3);
  return png;
}

// Every combination of colour type, depth and interlacing.
inline std::vector<PngFormat> png_formats(ImageSize size) {
  std::vector<PngFormat> formats;
  for (const bool is_interlaced : {false, true}) {
    for (const int depth : {1, 2, 4, 8, 16}) {
      for (const PngColour colour : {PngColour::kGray, PngColour::kRgb, PngColour::kPalette,
                                     PngColour::kGrayAlpha, PngColour::kRgba}) {
        const bool is_small = colour == PngColour::kGray || colour == PngColour::kPalette;
        if ((depth < 8 && !is_small) || (depth == 16 && colour == PngColour::kPalette)) continue;
        formats.push_back({size, depth, colour, is_interlaced});
      }
    }
  }
  return formats;
}

// Runs `body` once for each instruction set that the CPU has.
inline void for_each_instruction_set(const std::function<void()>& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    hwy::GetChosenTarget().Update(rest & -rest);
    body();
  }
  hwy::GetChosenTarget().Update(supported);
}

}  // namespace penstock::decode
