// Decodes the part of a JPEG that a crop needs, by libjpeg-turbo.
#include "penstock/decode/jpeg/turbo_decode.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "penstock/decode/jpeg/markers.h"
#include "penstock/decode/jpeg/turbo_session.h"
#include "penstock/decode/pixel_convert.h"
#include "penstock/decode/request.h"
#include "penstock/decode/scratch.h"

namespace penstock::decode {
namespace {

// Half-open, in pixels of the (shrunken) output.
struct Range {
  JDIMENSION begin = 0;
  JDIMENSION end = 0;
};

struct Window {
  Range columns;
  Range rows;
};

ImageSize image_size(const jpeg_decompress_struct& cinfo) {
  return {static_cast<int>(cinfo.image_width), static_cast<int>(cinfo.image_height)};
}

bool is_cmyk(const jpeg_decompress_struct& cinfo) { return cinfo.num_components == 4; }

Range shrunken(int start, int length, int shrink) {
  return {static_cast<JDIMENSION>(start / shrink),
          static_cast<JDIMENSION>((start + length + shrink - 1) / shrink)};
}

Status check_components(const jpeg_decompress_struct& cinfo) {
  const int num = cinfo.num_components;
  if (num == 1 || num == 3 || num == 4) return {};
  return unsupported(num, " components, expected 1, 3 or 4");
}

// A file that comes in several scans is held as coefficients and cannot be had in part, so a header
// alone can ask for gigabytes. Each block of the first component takes at least one bit of
// Huffman-coded data. Arithmetic coding has no such bound, but 64 blocks a bit is no photograph.
Status check_plausible(const jpeg_decompress_struct& cinfo, std::size_t size_bytes) {
  const std::uint64_t max_blocks_per_byte = cinfo.arith_code ? 512 : 8;
  const std::uint64_t num_blocks =
      std::uint64_t{(cinfo.image_width + 7) / 8} * ((cinfo.image_height + 7) / 8);
  if (num_blocks / max_blocks_per_byte <= size_bytes) return {};
  return corrupt("truncated after ", size_bytes, " bytes, too few for an image of ",
                 cinfo.image_width, "x", cinfo.image_height);
}

// Of a file in several scans, all of which have been read: whether some of its coefficients were
// never sent, or not to the last bit.
bool lacks_precision(const jpeg_decompress_struct& cinfo) {
  if (!cinfo.progressive_mode) return false;
  for (int component = 0; component < cinfo.num_components; ++component) {
    const int* bits = cinfo.coef_bits[component];
    if (std::any_of(bits, bits + DCTSIZE2, [](int missing) { return missing != 0; })) return true;
  }
  return false;
}

// libjpeg takes the coefficients of scans that never came to be zero and says nothing.
Status check_scans_complete(const JpegSession& session) {
  const jpeg_decompress_struct& cinfo = session.cinfo();
  for (int component = 0; component < cinfo.num_components; ++component) {
    const bool has_scan = cinfo.comp_info[component].quant_table != nullptr &&
                          (!cinfo.progressive_mode || cinfo.coef_bits[component][0] >= 0);
    if (has_scan) continue;
    if (session.passed_end()) return session.truncated();
    return corrupt("component ", component, " of ", cinfo.num_components, " has no scan");
  }
  if (session.passed_end() && lacks_precision(cinfo)) return session.truncated();
  return {};
}

// The columns to decode so that those of `wanted` come out exact. Fancy upsampling looks one sample
// to each side, and takes a sample at the border of the decoded part twice, as it does at the
// border of the image. libjpeg moves the beginning down to a whole MCU itself. It also falls back
// to plain upsampling in a part that is narrower than two samples, hence kMinSamples.
Range exact_columns(const jpeg_decompress_struct& cinfo, Range wanted) {
  constexpr JDIMENSION kMinSamples = 4;
  const auto max_h = static_cast<JDIMENSION>(cinfo.max_h_samp_factor);
  bool is_subsampled = false;
  for (int component = 0; component < cinfo.num_components; ++component) {
    is_subsampled |= cinfo.comp_info[component].h_samp_factor != cinfo.max_h_samp_factor;
  }
  if (!is_subsampled) return wanted;

  const JDIMENSION mcu_width = max_h * static_cast<JDIMENSION>(cinfo.min_DCT_scaled_size);
  const JDIMENSION min_width = kMinSamples * max_h;
  Range columns;
  columns.begin = (wanted.begin - std::min<JDIMENSION>(wanted.begin, 1)) / mcu_width * mcu_width;
  while (columns.begin > 0 && cinfo.output_width - columns.begin < min_width) {
    columns.begin -= mcu_width;
  }
  columns.end = std::min(std::max(wanted.end + 1, columns.begin + min_width), cinfo.output_width);
  return columns;
}

Window needed_window(const jpeg_decompress_struct& cinfo, const Rect& region, int shrink) {
  const Range columns = shrunken(region.x, region.width, shrink);
  const Range rows = shrunken(region.y, region.height, shrink);
  // Where coefficients lack precision libjpeg smooths between blocks, which takes their neighbours.
  if (lacks_precision(cinfo)) return {{0, cinfo.output_width}, {0, rows.end}};
  return {exact_columns(cinfo, columns), rows};
}

// The power of two, up to 8, that is allowed: libjpeg-turbo has SIMD code for these only.
int turbo_shrink(int min_eighths) {
  int shrink = 8;
  while (shrink > 1 && 8 / shrink < min_eighths) shrink /= 2;
  return shrink;
}

// Prepares decoding at this shrink up to the point where the size of the output is known.
Status start(JpegSession& session, std::size_t size_bytes, int channels, int shrink) {
  PENSTOCK_TRY(session.read_header());
  const jpeg_decompress_struct& header = session.cinfo();
  PENSTOCK_TRY(check_components(header));
  PENSTOCK_TRY(check_image_size(image_size(header), header.num_components));

  bool has_several_scans = false;
  PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& cinfo) {
    has_several_scans = jpeg_has_multiple_scans(&cinfo) != 0;
  }));
  if (has_several_scans) PENSTOCK_TRY(check_plausible(header, size_bytes));

  PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& cinfo) {
    cinfo.scale_num = 1;
    cinfo.scale_denom = static_cast<unsigned>(shrink);
    cinfo.out_color_space = is_cmyk(cinfo) ? JCS_CMYK : (channels == 1 ? JCS_GRAYSCALE : JCS_RGB);
    jpeg_start_decompress(&cinfo);
  }));
  if (has_several_scans) PENSTOCK_TRY(check_scans_complete(session));
  return {};
}

void skip_rows(jpeg_decompress_struct& cinfo, JDIMENSION count) {
  if (count > 0) jpeg_skip_scanlines(&cinfo, count);
}

// Up to as many rows at a time as libjpeg can give in one call.
void read_rows(jpeg_decompress_struct& cinfo, const MutableImage& out, JDIMENSION first_row) {
  std::array<JSAMPROW, MAX_SAMP_FACTOR> rows;
  const JDIMENSION end = first_row + static_cast<JDIMENSION>(out.height);
  while (cinfo.output_scanline < end) {
    const JDIMENSION count = std::min<JDIMENSION>(end - cinfo.output_scanline, MAX_SAMP_FACTOR);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = out.row(static_cast<int>(cinfo.output_scanline - first_row + i));
    }
    jpeg_read_scanlines(&cinfo, rows.data(), count);
  }
}

void read_cmyk_rows(jpeg_decompress_struct& cinfo, const MutableImage& line,
                    const MutableImage& out) {
  for (int y = 0; y < out.height; ++y) {
    JSAMPROW row = line.data;
    jpeg_read_scanlines(&cinfo, &row, 1);
    convert_inverted_cmyk(line.data, out.width, out.channels, out.row(y));
  }
}

// Entropy-decodes the rows that are left. The last one is read, because libjpeg takes no look at
// the data if all are skipped.
void skip_to_end(jpeg_decompress_struct& cinfo, const MutableImage& line) {
  if (cinfo.output_scanline == cinfo.output_height) return;
  skip_rows(cinfo, cinfo.output_height - 1 - cinfo.output_scanline);
  JSAMPROW row = line.data;
  jpeg_read_scanlines(&cinfo, &row, 1);
}

}  // namespace

std::size_t turbo_memory_bytes(const ImageHeader& header, const ImageRequest& request,
                               int channels) {
  const auto shrink = static_cast<std::size_t>(turbo_shrink(request.min_eighths));
  const std::size_t region = static_cast<std::size_t>(request.region.width) *
                             static_cast<std::size_t>(request.region.height);
  return region * static_cast<std::size_t>(channels) / (shrink * shrink) + header.whole_bytes;
}

Result<ImagePart> decode_jpeg_by_turbo(const EncodedImage& image, const ImageRequest& request,
                                       const DecodeOptions& options, DecodeScratch& scratch) {
  const Bytes bytes = image.bytes;
  const int channels = options.channels;
  JpegSession session(bytes);
  const jpeg_decompress_struct& cinfo = session.cinfo();
  const int shrink = turbo_shrink(request.min_eighths);
  PENSTOCK_TRY(start(session, bytes.size(), channels, shrink));
  const std::size_t scans_begin = session.position();
  PENSTOCK_TRY(check_request(request, image_size(cinfo), channels));

  const Window window = needed_window(cinfo, request.region, shrink);
  JDIMENSION x = window.columns.begin;
  JDIMENSION width = window.columns.end - window.columns.begin;
  PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& c) { jpeg_crop_scanline(&c, &x, &width); }));

  const JDIMENSION y = window.rows.begin;
  const MutableImage out = scratch.state().pixels.prepare(
      {static_cast<int>(width), static_cast<int>(window.rows.end - y)}, channels);
  if (is_cmyk(cinfo)) {
    const MutableImage line = scratch.state().line.prepare({out.width, 1}, 4);
    PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& c) {
      skip_rows(c, y);
      read_cmyk_rows(c, line, out);
    }));
  } else {
    PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& c) {
      skip_rows(c, y);
      read_rows(c, out, y);
    }));
  }

  // A file that was cut below the region would otherwise be good for some crops and bad for others.
  if (!has_end_marker(bytes.subspan(scans_begin))) {
    const MutableImage line = scratch.state().line.prepare({out.width, 1}, 4);
    PENSTOCK_TRY(session.run([&](jpeg_decompress_struct& c) { skip_to_end(c, line); }));
  }

  return make_part(out.view(), image_size(cinfo), static_cast<int>(x), static_cast<int>(y),
                   8 / shrink);
}

}  // namespace penstock::decode
