// TIFF files for tests.
#pragma once

#include <tiffio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

struct TiffFile {
  ImageSize size;
  std::vector<std::uint8_t> samples;  // as libtiff takes them, rows packed
  int bits = 8;
  int num_samples = 3;
  int photometric = PHOTOMETRIC_RGB;
  int compression = COMPRESSION_NONE;
  int rows_per_strip = 7;
  int tile_side = 0;  // 0: strips
  int orientation = 1;
  std::string mode = "w";                   // "wb": big-endian, "w8": BigTIFF
  std::vector<std::uint16_t> palette = {};  // reds, greens, blues
  std::vector<std::uint16_t> extra = {};    // kinds of samples behind the colours
};

namespace tiff_output {

struct Output {
  Encoded bytes;
  std::size_t position = 0;
};

inline Output& of(thandle_t handle) { return *static_cast<Output*>(handle); }

inline tmsize_t read(thandle_t handle, void* out, tmsize_t size) {
  Output& output = of(handle);
  const auto count = std::min(static_cast<std::size_t>(size),
                              output.bytes.size() - std::min(output.position, output.bytes.size()));
  if (count > 0) std::memcpy(out, output.bytes.data() + output.position, count);
  output.position += count;
  return static_cast<tmsize_t>(count);
}

inline tmsize_t write(thandle_t handle, void* in, tmsize_t size) {
  Output& output = of(handle);
  const std::size_t end = output.position + static_cast<std::size_t>(size);
  output.bytes.resize(std::max(output.bytes.size(), end));
  std::memcpy(output.bytes.data() + output.position, in, static_cast<std::size_t>(size));
  output.position = end;
  return size;
}

inline toff_t seek(thandle_t handle, toff_t offset, int whence) {
  Output& output = of(handle);
  output.position = (whence == SEEK_SET   ? 0
                     : whence == SEEK_CUR ? output.position
                                          : output.bytes.size()) +
                    offset;
  return output.position;
}

inline int close(thandle_t) { return 0; }
inline toff_t size(thandle_t handle) { return of(handle).bytes.size(); }

}  // namespace tiff_output

inline void set_tiff_fields(TIFF* tiff, const TiffFile& file) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, file.size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, file.size.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, file.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, file.num_samples);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, file.compression);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, file.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, file.orientation);
  if (file.photometric == PHOTOMETRIC_YCBCR && file.compression == COMPRESSION_JPEG) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (!file.extra.empty()) {
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(file.extra.size()),
                 file.extra.data());
  }
  if (!file.palette.empty()) {
    const std::size_t count = file.palette.size() / 3;
    TIFFSetField(tiff, TIFFTAG_COLORMAP, file.palette.data(), file.palette.data() + count,
                 file.palette.data() + 2 * count);
  }
  if (file.tile_side > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, file.tile_side);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, file.tile_side);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, file.rows_per_strip);
  }
}

// Of pixels of whole bytes.
inline void write_tiles(TIFF* tiff, const TiffFile& file) {
  const auto pixel_bytes = static_cast<std::size_t>(file.num_samples * file.bits / 8);
  const auto width = static_cast<std::size_t>(file.size.width);
  for (int top = 0; top < file.size.height; top += file.tile_side) {
    for (int left = 0; left < file.size.width; left += file.tile_side) {
      std::vector<std::uint8_t> tile(static_cast<std::size_t>(TIFFTileSize(tiff)));
      const int columns = std::min(file.tile_side, file.size.width - left);
      for (int y = top; y < std::min(top + file.tile_side, file.size.height); ++y) {
        const std::size_t from =
            (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(left)) * pixel_bytes;
        const auto to = static_cast<std::size_t>((y - top) * file.tile_side) * pixel_bytes;
        std::memcpy(tile.data() + to, file.samples.data() + from,
                    static_cast<std::size_t>(columns) * pixel_bytes);
      }
      TIFFWriteTile(tiff, tile.data(), static_cast<std::uint32_t>(left),
                    static_cast<std::uint32_t>(top), 0, 0);
    }
  }
}

// Of YCbCr that is not JPEG: blocks of four Y, a Cb and a Cr, which stand for 2x2 pixels.
inline void write_subsampled(TIFF* tiff, const TiffFile& file) {
  std::size_t position = 0;
  for (int y = 0; y < file.size.height; y += file.rows_per_strip) {
    const int rows = std::min(file.rows_per_strip, file.size.height - y);
    std::vector<std::uint8_t> strip(
        static_cast<std::size_t>(TIFFVStripSize(tiff, static_cast<std::uint32_t>(rows))));
    std::memcpy(strip.data(), file.samples.data() + position, strip.size());
    position += strip.size();
    TIFFWriteEncodedStrip(tiff, static_cast<std::uint32_t>(y / file.rows_per_strip), strip.data(),
                          static_cast<tmsize_t>(strip.size()));
  }
}

// A file written by libtiff.
inline Encoded tiff_file(const TiffFile& file) {
  tiff_output::Output output;
  TIFF* tiff =
      TIFFClientOpen("test", file.mode.c_str(), &output, tiff_output::read, tiff_output::write,
                     tiff_output::seek, tiff_output::close, tiff_output::size, nullptr, nullptr);
  set_tiff_fields(tiff, file);
  if (file.tile_side > 0) {
    write_tiles(tiff, file);
  } else if (file.photometric == PHOTOMETRIC_YCBCR && file.compression != COMPRESSION_JPEG) {
    write_subsampled(tiff, file);
  } else {
    const std::size_t row_bytes =
        (static_cast<std::size_t>(file.size.width * file.num_samples * file.bits) + 7) / 8;
    for (int y = 0; y < file.size.height; ++y) {
      std::vector<std::uint8_t> row(row_bytes);
      std::memcpy(row.data(), file.samples.data() + static_cast<std::size_t>(y) * row_bytes,
                  row_bytes);
      TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0);
    }
  }
  TIFFClose(tiff);
  return output.bytes;
}

// An RGB image in strips, compressed by LZW.
inline Encoded encode_tiff(const ImageView& image) {
  TiffFile file{{image.width, image.height}, {}};
  file.compression = COMPRESSION_LZW;
  for (int y = 0; y < image.height; ++y) {
    file.samples.insert(file.samples.end(), image.row(y), image.row(y) + 3 * image.width);
  }
  return tiff_file(file);
}

}  // namespace penstock::decode
