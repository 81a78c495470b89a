// For tests: files that encode_jpeg does not write, and what libjpeg-turbo makes of any file.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/jpeg/frame.h"
#include "penstock/decode/test_pixels.h"

namespace penstock::decode {

// Runs `body` once for each instruction set that the CPU has.
inline void for_each_instruction_set(const std::function<void()>& body) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::GetChosenTarget().Update(target);
    body();
  }
  hwy::GetChosenTarget().Update(supported);
}

struct ReferenceOptions {
  int quality = 90;
  int columns = 1;  // luma samples to one of chroma
  int rows = 1;
  int restart_interval = 0;
  bool optimises = false;       // makes its own Huffman codes
  bool forces_baseline = true;  // no quantisation steps above 255
};

// A compressor that writes to memory. Errors end the test program.
class ReferenceWriter {
 public:
  ReferenceWriter() {
    cinfo.err = jpeg_std_error(&errors_);
    errors_.emit_message = [](j_common_ptr, int) {};
    jpeg_create_compress(&cinfo);
    jpeg_mem_dest(&cinfo, &encoded_, &size_bytes_);
  }
  ~ReferenceWriter() {
    jpeg_destroy_compress(&cinfo);
    std::free(encoded_);
  }
  ReferenceWriter(const ReferenceWriter&) = delete;
  ReferenceWriter& operator=(const ReferenceWriter&) = delete;

  void set_size(ImageSize size, int channels) {
    cinfo.image_width = static_cast<JDIMENSION>(size.width);
    cinfo.image_height = static_cast<JDIMENSION>(size.height);
    cinfo.input_components = channels;
    cinfo.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&cinfo);
  }

  Encoded finish() {
    jpeg_finish_compress(&cinfo);
    const auto* begin = reinterpret_cast<const std::byte*>(encoded_);
    return {begin, begin + size_bytes_};
  }

  jpeg_compress_struct cinfo{};

 private:
  jpeg_error_mgr errors_{};
  unsigned char* encoded_ = nullptr;
  unsigned long size_bytes_ = 0;
};

inline Encoded encode_reference(const Pixels& image, const ReferenceOptions& options) {
  ReferenceWriter writer;
  jpeg_compress_struct& cinfo = writer.cinfo;
  writer.set_size({image.width, image.height}, image.channels);
  jpeg_set_quality(&cinfo, options.quality, options.forces_baseline ? TRUE : FALSE);
  cinfo.comp_info[0].h_samp_factor = options.columns;
  cinfo.comp_info[0].v_samp_factor = options.rows;
  cinfo.optimize_coding = options.optimises ? TRUE : FALSE;
  cinfo.restart_interval = static_cast<unsigned>(options.restart_interval);
  jpeg_start_compress(&cinfo, TRUE);
  while (cinfo.next_scanline < cinfo.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.view().row(static_cast<int>(cinfo.next_scanline)));
    jpeg_write_scanlines(&cinfo, &row, 1);
  }
  return writer.finish();
}

using Block = std::array<std::int16_t, kBlockSize>;  // row by row

// One row of gray blocks with exactly these coefficients: AC within 1023, steps of DC within 2047.
inline Encoded encode_coefficients(const std::vector<Block>& blocks, const QuantTable& quant) {
  ReferenceWriter writer;
  jpeg_compress_struct& cinfo = writer.cinfo;
  writer.set_size({static_cast<int>(blocks.size()) * kBlockSide, kBlockSide}, 1);
  std::copy(quant.begin(), quant.end(), cinfo.quant_tbl_ptrs[0]->quantval);
  cinfo.comp_info[0].width_in_blocks = static_cast<JDIMENSION>(blocks.size());
  cinfo.comp_info[0].height_in_blocks = 1;
  auto* common = reinterpret_cast<j_common_ptr>(&cinfo);
  jvirt_barray_ptr array = cinfo.mem->request_virt_barray(
      common, JPOOL_IMAGE, TRUE, static_cast<JDIMENSION>(blocks.size()), 1, 1);
  jpeg_write_coefficients(&cinfo, &array);
  JBLOCKARRAY rows = cinfo.mem->access_virt_barray(common, array, 0, 1, TRUE);
  for (std::size_t i = 0; i < blocks.size(); ++i) std::ranges::copy(blocks[i], rows[0][i]);
  return writer.finish();
}

// A decompressor that has read the header. Errors end the test program.
class ReferenceReader {
 public:
  explicit ReferenceReader(Bytes bytes) {
    cinfo.err = jpeg_std_error(&errors_);
    errors_.emit_message = [](j_common_ptr, int) {};
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&cinfo, TRUE);
  }
  ~ReferenceReader() { jpeg_destroy_decompress(&cinfo); }
  ReferenceReader(const ReferenceReader&) = delete;
  ReferenceReader& operator=(const ReferenceReader&) = delete;

  jpeg_decompress_struct cinfo{};

 private:
  jpeg_error_mgr errors_{};
};

// The whole image with libjpeg-turbo's defaults.
inline Pixels reference_pixels(Bytes bytes, J_COLOR_SPACE space, int shrink = 1) {
  ReferenceReader reader(bytes);
  jpeg_decompress_struct& cinfo = reader.cinfo;
  cinfo.out_color_space = space;
  cinfo.scale_denom = static_cast<unsigned>(shrink);
  jpeg_start_decompress(&cinfo);
  Pixels out{static_cast<int>(cinfo.output_width),
             static_cast<int>(cinfo.output_height),
             cinfo.output_components,
             {}};
  const std::size_t row_bytes = static_cast<std::size_t>(out.width * out.channels);
  out.values.resize(row_bytes * cinfo.output_height);
  while (cinfo.output_scanline < cinfo.output_height) {
    JSAMPROW row = out.values.data() + row_bytes * cinfo.output_scanline;
    jpeg_read_scanlines(&cinfo, &row, 1);
  }
  return out;
}

// The samples of each component, of all its blocks that hold a part of the image.
inline std::vector<Pixels> reference_planes(Bytes bytes) {
  ReferenceReader reader(bytes);
  jpeg_decompress_struct& cinfo = reader.cinfo;
  cinfo.raw_data_out = TRUE;
  cinfo.do_fancy_upsampling = FALSE;
  jpeg_start_decompress(&cinfo);
  const auto num_planes = static_cast<std::size_t>(cinfo.num_components);
  std::vector<Pixels> planes;
  std::vector<std::vector<JSAMPROW>> rows(num_planes);
  for (std::size_t c = 0; c < num_planes; ++c) {
    const jpeg_component_info& component = cinfo.comp_info[c];
    const auto width = static_cast<std::size_t>(component.width_in_blocks) * kBlockSide;
    // libjpeg asks for the rows of whole MCUs.
    const auto height = static_cast<std::size_t>(cinfo.total_iMCU_rows) *
                        static_cast<std::size_t>(component.v_samp_factor) * kBlockSide;
    planes.push_back({static_cast<int>(width), static_cast<int>(height), 1, {}});
    planes[c].values.resize(width * height);
  }
  const auto mcu_height = static_cast<JDIMENSION>(cinfo.max_v_samp_factor * kBlockSide);
  std::vector<JSAMPARRAY> arrays(num_planes);
  for (std::size_t row = 0; row < cinfo.total_iMCU_rows; ++row) {
    for (std::size_t c = 0; c < num_planes; ++c) {
      const auto num = static_cast<std::size_t>(cinfo.comp_info[c].v_samp_factor * kBlockSide);
      rows[c].resize(num);
      for (std::size_t y = 0; y < num; ++y) {
        rows[c][y] =
            planes[c].values.data() + (row * num + y) * static_cast<std::size_t>(planes[c].width);
      }
      arrays[c] = rows[c].data();
    }
    jpeg_read_raw_data(&cinfo, arrays.data(), mcu_height);
  }
  for (std::size_t c = 0; c < num_planes; ++c) {
    planes[c].height = static_cast<int>(cinfo.comp_info[c].height_in_blocks) * kBlockSide;
  }
  return planes;
}

// The blocks of each component that hold a part of the image, row by row.
inline std::vector<std::vector<Block>> reference_coefficients(Bytes bytes) {
  ReferenceReader reader(bytes);
  jpeg_decompress_struct& cinfo = reader.cinfo;
  jvirt_barray_ptr* arrays = jpeg_read_coefficients(&cinfo);
  std::vector<std::vector<Block>> blocks(static_cast<std::size_t>(cinfo.num_components));
  for (std::size_t c = 0; c < blocks.size(); ++c) {
    const jpeg_component_info& component = cinfo.comp_info[c];
    for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
      JBLOCKARRAY row = cinfo.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&cinfo),
                                                      arrays[c], y, 1, FALSE);
      for (JDIMENSION x = 0; x < component.width_in_blocks; ++x) {
        std::copy_n(row[0][x], kBlockSize, blocks[c].emplace_back().begin());
      }
    }
  }
  return blocks;
}

}  // namespace penstock::decode
