// Our own entropy decoder without what follows it.
#include "penstock/decode/jpeg/entropy.h"

#include <algorithm>
#include <optional>

#include "methods.h"
#include "penstock/decode/jpeg/frame.h"
#include "penstock/decode/jpeg/idct.h"
#include "penstock/decode/jpeg/unstuff.h"

namespace penstock::decode {
namespace {

struct RowLayout {
  McuLayout mcu;
  std::size_t size = 0;  // coefficients of one row of MCUs
};

std::optional<RowLayout> row_layout(const Frame& frame, HuffmanTables& tables) {
  RowLayout layout;
  layout.mcu.coefficients.num_lanes = num_idct_lanes();
  const auto lanes = static_cast<std::size_t>(num_idct_lanes());
  for (int c = 0; c < frame.num_components; ++c) {
    const FrameComponent& component = frame.components[static_cast<std::size_t>(c)];
    const DcTable* dc = tables.dc(frame.dc_codes[static_cast<std::size_t>(component.dc_table)]);
    const AcTable* ac = tables.ac(frame.ac_codes[static_cast<std::size_t>(component.ac_table)]);
    if (dc == nullptr || ac == nullptr) return std::nullopt;
    const auto blocks = static_cast<std::size_t>(frame.num_mcu_columns() * component.columns);
    for (int y = 0; y < component.rows; ++y) {
      for (int x = 0; x < component.columns; ++x) {
        layout.mcu.blocks[static_cast<std::size_t>(layout.mcu.num_blocks++)] = {
            .dc = dc,
            .ac = ac,
            .component = c,
            .columns = component.columns,
            .column = x,
            .row_begin = layout.size};
      }
      layout.size += (blocks + lanes - 1) / lanes * lanes * kBlockSize;
    }
  }
  return layout;
}

// Calls read_row(layout, state, end, row) for every row of MCUs.
template <class ReadRow>
bool walk_scan(const BenchImage& image, BenchScratch& scratch, ReadRow read_row) {
  const std::optional<Frame> frame = read_frame(image.bytes);
  if (!frame) return false;
  const std::optional<RowLayout> layout = row_layout(*frame, scratch.tables);
  if (!layout) return false;
  const Bytes scan = Bytes(image.bytes).subspan(frame->scan_begin);
  const std::size_t most = scan.size() + std::max(kUnstuffSlack, BitReader::kSlack);
  if (scratch.plain.size() < most) scratch.plain.resize(most);
  scratch.stuffed.clear();
  const Unstuffed read = unstuff(scan, scratch.plain.data(), scratch.stuffed);
  const std::uint8_t* end = scratch.plain.data() + read.num_written;
  std::fill_n(scratch.plain.data() + read.num_written, BitReader::kSlack, std::uint8_t{0});
  EntropyState state{BitReader::at(scratch.plain.data(), 0)};
  for (int row = 0; row < frame->num_mcu_rows(); ++row) {
    if (!read_row(*frame, *layout, row, end, state)) return false;
  }
  return true;
}

}  // namespace

bool penstock_coefficients(const BenchImage& image, BenchScratch& scratch) {
  auto& all = scratch.coefficients;
  return walk_scan(image, scratch,
                   [&all](const Frame& frame, const RowLayout& layout, int row,
                          const std::uint8_t* end, EntropyState& state) {
                     const auto rows = static_cast<std::size_t>(frame.num_mcu_rows());
                     if (row == 0) all.assign(layout.size * rows, 0);
                     return decode_mcus(layout.mcu, frame.num_mcu_columns(), end, state,
                                        all.data() + layout.size * static_cast<std::size_t>(row));
                   });
}

bool penstock_skip(const BenchImage& image, BenchScratch& scratch) {
  return walk_scan(image, scratch,
                   [](const Frame& frame, const RowLayout& layout, int, const std::uint8_t* end,
                      EntropyState& state) {
                     return skip_mcus(layout.mcu, frame.num_mcu_columns(), end, state);
                   });
}

bool has_plain_scan(const BenchImage& image) {
  const std::optional<Frame> frame = read_frame(image.bytes);
  return frame && frame->restart_interval == 0;
}

}  // namespace penstock::decode
