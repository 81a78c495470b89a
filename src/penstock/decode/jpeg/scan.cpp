// The walk through a scan: seek, skip, decode, learn.
#include "penstock/decode/jpeg/scan.h"

#include <algorithm>

#include "penstock/decode/jpeg/idct.h"
#include "penstock/decode/jpeg/markers.h"
#include "penstock/decode/jpeg/unstuff.h"

namespace penstock::decode {
namespace {

// So many MCUs are decoded before their coefficients are transformed: they stay in the first cache.
constexpr int kChunkMcus = 16;

class ScanDecoder {
 public:
  ScanDecoder(const Frame& frame, Bytes image, const ScanRequest& request, EntryPoints& points,
              bool learns, ScanScratch& scratch)
      : frame_(frame),
        scan_(image.subspan(frame.scan_begin)),
        request_(request),
        points_(points),
        learns_(learns && points.can_grow()),
        scratch_(scratch),
        columns_(frame.num_mcu_columns()) {}

  bool run() {
    if (!prepare()) return false;
    const McuWindow& window = request_.window;
    for (int row = window.top; row < window.bottom; ++row) {
      if (!move_to(row * columns_ + window.left, row * columns_ + window.right)) return false;
      if (!decode_row(row)) return false;
    }
    if (!request_.reads_to_end) return true;
    return move_to(num_mcus(), num_mcus()) && is_at_segment_end();
  }

 private:
  // Bytes between two restart markers, in scratch_.plain.
  struct PlainSegment {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  bool prepare() {
    layout_.coefficients.num_lanes = num_idct_lanes();
    const bool needs_skips = passes_over_much();
    std::size_t size = 0;
    for (int c = 0; c < frame_.num_components; ++c) {
      const FrameComponent& component = frame_.components[static_cast<std::size_t>(c)];
      const DcTable* dc =
          scratch_.tables.dc(frame_.dc_codes[static_cast<std::size_t>(component.dc_table)]);
      const HuffmanSpec& ac_code = frame_.ac_codes[static_cast<std::size_t>(component.ac_table)];
      const AcTable* ac =
          needs_skips ? scratch_.tables.ac_with_skips(ac_code) : scratch_.tables.ac(ac_code);
      if (dc == nullptr || ac == nullptr) return false;
      for (int y = 0; y < component.rows; ++y) {
        for (int x = 0; x < component.columns; ++x) {
          const bool is_kept = request_.planes[static_cast<std::size_t>(c)].samples != nullptr;
          layout_.blocks[static_cast<std::size_t>(layout_.num_blocks++)] = {
              dc, ac, c, component.columns, x, size, is_kept};
        }
        size += static_cast<std::size_t>(kChunkMcus * component.columns) * kBlockSize;
      }
    }
    if (scratch_.coefficients.size() < size) scratch_.coefficients.assign(size, 0);
    return true;
  }

  // Whether a table for it pays.
  bool passes_over_much() const {
    const McuWindow& window = request_.window;
    const int num_kept = (window.right - window.left) * (window.bottom - window.top);
    const int num_passed = window.bottom * columns_ - num_kept;
    return request_.reads_to_end || (points_.size() == 0 && num_passed * 8 > num_mcus());
  }

  // Brings the decoder to MCU `mcu` by the nearest way, with the bytes of all MCUs before `until`.
  bool move_to(int mcu, int until) {
    if (points_.size() > 0) {
      const std::size_t place = std::min(points_.place_before(mcu), points_.size() - 1);
      if (!is_loaded_ || points_.mcu_of(place) > mcu_) {
        mcu_ = points_.mcu_of(place);
        load_from(points_[place], until);
      }
    }
    if (!is_loaded_) load_from({}, until);
    if (until > loaded_until_) load_from(here(), until);
    return skip_to(mcu);
  }

  // Known points bound how many bytes are needed.
  void load_from(const EntryPoint& point, int until) {
    std::size_t place = points_.size() > 0 ? points_.place_before(until - 1) + 1 : 0;
    const bool is_known = points_.size() > 0 && place < points_.size();
    loaded_until_ = is_known ? points_.mcu_of(place) : num_mcus();
    // The byte that the point lies in, and the zero behind it if it is 0xff.
    const std::size_t end =
        is_known ? static_cast<std::size_t>(points_[place].bit / 8) + 2 : scan_.size();
    load(static_cast<std::size_t>(point.bit / 8), std::min(end, scan_.size()));
    state_ = {BitReader::at(scratch_.plain.data(), static_cast<unsigned>(point.bit % 8)), point.dc};
  }

  // Bytes [begin, end) of the scan, without stuffing, restart markers between segments.
  void load(std::size_t begin, std::size_t end) {
    auto& plain = scratch_.plain;
    const std::size_t most = end - begin + std::max(kUnstuffSlack, BitReader::kSlack);
    if (plain.size() < most) plain.resize(most + most / 4);
    scratch_.stuffed.clear();
    segments_.clear();
    segment_ = 0;
    plain_begin_ = begin;
    num_passed_ = 0;
    is_loaded_ = true;
    std::size_t written = 0;
    for (;;) {
      const Unstuffed part =
          unstuff(scan_.subspan(begin, end - begin), plain.data() + written, scratch_.stuffed);
      segments_.push_back({written, written + part.num_written});
      written += part.num_written;
      begin += part.num_read;
      if (frame_.restart_interval == 0 || end - begin < 2) break;
      if (byte_at(scan_, begin + 1) != kRst0 + (segments_.size() - 1) % 8) break;
      begin += 2;
    }
    std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(written), BitReader::kSlack, 0);
  }

  const std::uint8_t* segment_end() const {
    return scratch_.plain.data() + segments_[segment_].end;
  }

  // Whether all bytes of the segment were read, but for bits that fill up the last one.
  bool is_at_segment_end() const {
    const std::uint64_t bits = state_.bits.position_bits(scratch_.plain.data());
    return (bits + 7) / 8 == segments_[segment_].end;
  }

  bool enter_segment(std::size_t segment) {
    if (segment >= segments_.size()) return false;
    segment_ = segment;
    state_ = {BitReader::at(scratch_.plain.data() + segments_[segment].begin, 0), {}};
    return true;
  }

  // How many of the next `num` MCUs belong to the segment; enters the next one where one ends.
  int num_in_segment(int num) {
    const int interval = frame_.restart_interval;
    if (interval == 0) return num;
    if (mcu_ % interval == 0 && mcu_ > 0 && segment_ != static_cast<std::size_t>(mcu_ / interval)) {
      if (!is_at_segment_end()) return 0;
      if (!enter_segment(static_cast<std::size_t>(mcu_ / interval))) return 0;
    }
    return std::min(num, interval - mcu_ % interval);
  }

  bool skip_to(int target) {
    const int interval = frame_.restart_interval;
    if (interval > 0 && target / interval > mcu_ / interval &&
        target / interval * interval < num_mcus()) {
      if (!enter_segment(static_cast<std::size_t>(target / interval))) return false;
      mcu_ = target / interval * interval;
    }
    while (mcu_ < target) {
      learn();
      const int num = num_in_segment(std::min(target, next_place()) - mcu_);
      if (num == 0 || !skip_mcus(layout_, num, segment_end(), state_)) return false;
      mcu_ += num;
    }
    return true;
  }

  bool decode_row(int row) {
    const int end = row * columns_ + request_.window.right;
    while (mcu_ < end) {
      learn();
      const int num = num_in_segment(std::min({end, next_place(), mcu_ + kChunkMcus}) - mcu_);
      if (num == 0) return false;
      if (!decode_mcus(layout_, num, segment_end(), state_, scratch_.coefficients.data())) {
        return forget_coefficients();
      }
      if (!transform(row, mcu_ % columns_, num)) return forget_coefficients();
      mcu_ += num;
    }
    return true;
  }

  bool forget_coefficients() {
    std::ranges::fill(scratch_.coefficients, std::int16_t{0});
    return false;
  }

  // The samples of `num` MCUs from `column` on.
  bool transform(int row, int column, int num) {
    std::size_t begin = 0;
    bool is_exact = true;
    for (int c = 0; c < frame_.num_components; ++c) {
      const FrameComponent& component = frame_.components[static_cast<std::size_t>(c)];
      const PlaneTarget& plane = request_.planes[static_cast<std::size_t>(c)];
      const std::size_t row_size =
          static_cast<std::size_t>(kChunkMcus * component.columns) * kBlockSize;
      const QuantTable& quant =
          frame_.quant_tables[static_cast<std::size_t>(component.quant_table)];
      for (int y = 0; plane.samples != nullptr && y < component.rows; ++y) {
        const int block_row = (row - request_.window.top) * component.rows + y;
        const int block_column = (column - request_.window.left) * component.columns;
        const int first_row = block_row * plane.block.rows;
        is_exact &= inverse_dct(
            {.coefficients =
                 scratch_.coefficients.data() + begin + static_cast<std::size_t>(y) * row_size,
             .num_blocks = num * component.columns,
             .block = plane.block,
             .samples = plane.samples + static_cast<std::size_t>(first_row) * plane.stride +
                        block_column * plane.block.columns,
             .stride = plane.stride},
            quant);
      }
      begin += row_size * static_cast<std::size_t>(component.rows);
    }
    return is_exact;
  }

  int num_mcus() const { return columns_ * frame_.num_mcu_rows(); }

  // The MCU where the next entry point is to be learnt.
  int next_place() const { return learns_ ? points_.mcu_of(points_.size()) : num_mcus(); }

  // The place of the next MCU.
  EntryPoint here() {
    const std::uint64_t bit = state_.bits.position_bits(scratch_.plain.data());
    const auto& stuffed = scratch_.stuffed;
    while (num_passed_ < stuffed.size() && stuffed[num_passed_] < bit / 8) ++num_passed_;
    return {bit + 8 * (plain_begin_ + num_passed_), state_.dc};
  }

  void learn() {
    if (!learns_ || mcu_ != next_place()) return;
    points_.add(here());
    learns_ = points_.can_grow();
  }

  const Frame& frame_;
  const Bytes scan_;
  const ScanRequest& request_;
  EntryPoints& points_;
  bool learns_;
  ScanScratch& scratch_;
  const int columns_;
  McuLayout layout_;

  int mcu_ = 0;  // the next one
  EntropyState state_;
  bool is_loaded_ = false;
  std::size_t plain_begin_ = 0;  // of scratch_.plain in the scan
  int loaded_until_ = 0;         // the MCU behind those of which all bytes are there
  std::vector<PlainSegment> segments_;
  std::size_t segment_ = 0;
  std::size_t num_passed_ = 0;  // of scratch_.stuffed, by learn()
};

}  // namespace

std::size_t ScanScratch::size_bytes() const {
  return tables.size_bytes() + plain.capacity() + stuffed.capacity() * sizeof(stuffed[0]) +
         coefficients.capacity() * sizeof(coefficients[0]);
}

bool decode_scan(const Frame& frame, Bytes image, const ScanRequest& request, EntryPoints& points,
                 bool learns, ScanScratch& scratch) {
  return ScanDecoder(frame, image, request, points, learns, scratch).run();
}

}  // namespace penstock::decode
