// For tests and benchmarks: a scan that is read by hand, MCU by MCU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "penstock/decode/jpeg/entropy.h"
#include "penstock/decode/jpeg/frame.h"
#include "penstock/decode/jpeg/huffman.h"
#include "penstock/decode/jpeg/unstuff.h"

namespace penstock::decode {

// All of a scan without restart markers, of an image that our own decoder takes.
class OpenScan {
 public:
  explicit OpenScan(Bytes image) : frame(*read_frame(image)) {
    for (int c = 0; c < frame.num_components; ++c) {
      const FrameComponent& component = frame.components[static_cast<std::size_t>(c)];
      const DcTable* dc = tables_.dc(frame.dc_codes[static_cast<std::size_t>(component.dc_table)]);
      const AcTable* ac = tables_.ac(frame.ac_codes[static_cast<std::size_t>(component.ac_table)]);
      // Each block has a place of its own, as if it were a row.
      for (int i = 0; i < component.columns * component.rows; ++i) {
        layout.blocks[static_cast<std::size_t>(layout.num_blocks)] = {
            .dc = dc,
            .ac = ac,
            .component = c,
            .row_begin = static_cast<std::size_t>(layout.num_blocks) * kBlockSize};
        ++layout.num_blocks;
      }
    }
    load(image.subspan(frame.scan_begin));
  }

  // The bytes up to the next marker; returns how many they were.
  std::size_t load(Bytes scan) {
    const std::size_t most = scan.size() + std::max(kUnstuffSlack, BitReader::kSlack);
    if (plain.size() < most) plain.resize(most);
    std::vector<std::uint32_t> stuffed;
    const Unstuffed read = unstuff(scan, plain.data(), stuffed);
    size_bytes = read.num_written;
    std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(size_bytes), BitReader::kSlack, 0);
    return read.num_read;
  }

  EntropyState begin() const { return {BitReader::at(plain.data(), 0), {}}; }
  const std::uint8_t* end() const { return plain.data() + size_bytes; }
  int num_mcus() const { return frame.num_mcu_columns() * frame.num_mcu_rows(); }

  const Frame frame;
  McuLayout layout;
  std::vector<std::uint8_t> plain;
  std::size_t size_bytes = 0;  // of `plain`, without what may be read behind them

 private:
  HuffmanTables tables_;
};

}  // namespace penstock::decode
