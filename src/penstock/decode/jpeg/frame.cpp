// Reads the header of the JPEGs that our own decoder takes.
#include "penstock/decode/jpeg/frame.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "penstock/decode/jpeg/header.h"
#include "penstock/decode/jpeg/markers.h"

namespace penstock::decode {
namespace {

constexpr unsigned kBaseline = 0xc0, kExtended = 0xc1;
constexpr int kMaxTables = 4;
constexpr int kMaxSide = 65500;  // of libjpeg

// Every read_... answers whether the segment is whole and usual.
class FrameReader {
 public:
  std::optional<Frame> read(Bytes bytes) {
    if (!is_jpeg(bytes)) return std::nullopt;
    SegmentReader segments(bytes);
    for (;;) {
      const auto segment = segments.next();
      if (!segment.ok() || !*segment || !(*segment)->is_whole) return std::nullopt;
      if (!read_segment(**segment)) return std::nullopt;
      if ((*segment)->marker != kSos) continue;
      frame_.scan_begin = segments.position();
      return frame_;
    }
  }

 private:
  bool read_segment(const Segment& segment) {
    if (is_frame_header(segment.marker)) {
      const bool is_sequential = segment.marker == kBaseline || segment.marker == kExtended;
      return is_sequential && read_frame_header(segment.payload);
    }
    switch (segment.marker) {
      case kDqt:
        return read_quant_tables(segment.payload);
      case kDht:
        return read_huffman_tables(segment.payload);
      case kDri:
        if (segment.payload.size() != 2) return false;
        frame_.restart_interval = static_cast<int>(u16_at(segment.payload, 0));
        return true;
      case kSos:
        return read_scan_header(segment.payload);
      case kApp0:
        has_jfif_ |= segment.payload.size() >= 14 && begins_with(segment.payload, {"JFIF\0", 5});
        return true;
      case kApp14:
        if (segment.payload.size() >= 12 && begins_with(segment.payload, "Adobe")) {
          adobe_transform_ = static_cast<int>(byte_at(segment.payload, 11));
        }
        return true;
      default:
        return says_nothing(segment.marker);
    }
  }

  // What libjpeg passes over; it refuses what it does not know.
  static bool says_nothing(unsigned marker) {
    return (marker >= kApp0 && marker <= kApp15) || marker == kCom || marker == kDnl;
  }

  static bool begins_with(Bytes bytes, std::string_view text) {
    return std::ranges::equal(bytes.first(text.size()), std::as_bytes(std::span(text)));
  }

  bool read_frame_header(Bytes payload) {
    if (frame_.num_components != 0 || payload.size() < 6) return false;
    frame_.size = {static_cast<int>(u16_at(payload, 3)), static_cast<int>(u16_at(payload, 1))};
    frame_.num_components = static_cast<int>(byte_at(payload, 5));
    if (std::max(frame_.size.width, frame_.size.height) > kMaxSide) return false;
    const bool has_usual_count = frame_.num_components == 1 || frame_.num_components == 3;
    const auto num = static_cast<std::size_t>(frame_.num_components);
    if (byte_at(payload, 0) != 8 || frame_.size.width == 0 || frame_.size.height == 0) return false;
    if (!has_usual_count || payload.size() != 6 + 3 * num) return false;
    for (std::size_t i = 0; i < num; ++i) {
      const Bytes entry = payload.subspan(6 + 3 * i, 3);
      ids_[i] = byte_at(entry, 0);
      const auto sampling = static_cast<int>(byte_at(entry, 1));
      const unsigned quant_table = byte_at(entry, 2);
      if (quant_table >= kMaxTables) return false;
      frame_.components[i] = {.columns = sampling >> 4,
                              .rows = sampling & 15,
                              .quant_table = static_cast<int>(quant_table)};
    }
    return has_usual_sampling();
  }

  // The blocks of a single component come one by one, whatever its sampling factors are.
  bool has_usual_sampling() {
    auto& [luma, blue, red] = frame_.components;
    if (frame_.num_components == 1) {
      const auto is_factor = [](int factor) { return factor >= 1 && factor <= 4; };
      if (!is_factor(luma.columns) || !is_factor(luma.rows)) return false;
      luma.columns = luma.rows = 1;
      return true;
    }
    if (blue.columns != 1 || blue.rows != 1 || red.columns != 1 || red.rows != 1) return false;
    constexpr std::pair<int, int> kUsual[] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}};
    return std::ranges::find(kUsual, std::pair(luma.columns, luma.rows)) != std::end(kUsual);
  }

  bool read_quant_tables(Bytes payload) {
    while (!payload.empty()) {
      const unsigned head = byte_at(payload, 0);
      const std::size_t precision = head >> 4, number = head & 15;
      if (precision > 1 || number >= kMaxTables) return false;
      const std::size_t size = kBlockSize * (precision + 1);
      if (payload.size() < 1 + size) return false;
      const Bytes values = payload.subspan(1, size);
      for (std::size_t k = 0; k < kBlockSize; ++k) {
        frame_.quant_tables[number][kZigzag[k]] =
            static_cast<std::uint16_t>(precision == 0 ? byte_at(values, k) : u16_at(values, 2 * k));
      }
      has_quant_table_[number] = true;
      payload = payload.subspan(1 + size);
    }
    return true;
  }

  bool read_huffman_tables(Bytes payload) {
    while (!payload.empty()) {
      const unsigned head = byte_at(payload, 0);
      const bool is_ac = (head >> 4) == 1;
      const std::size_t number = head & 15;
      if (head >> 4 > 1 || number >= kMaxTables || payload.size() < 17) return false;
      HuffmanSpec code;
      std::size_t num_symbols = 0;
      for (std::size_t length = 1; length <= 16; ++length) {
        code.counts[length] = static_cast<std::uint8_t>(byte_at(payload, length));
        num_symbols += code.counts[length];
      }
      if (num_symbols > code.symbols.size() || payload.size() < 17 + num_symbols) return false;
      for (std::size_t i = 0; i < num_symbols; ++i) {
        code.symbols[i] = static_cast<std::uint8_t>(byte_at(payload, 17 + i));
      }
      (is_ac ? frame_.ac_codes : frame_.dc_codes)[number] = code;
      (is_ac ? has_ac_code_ : has_dc_code_)[number] = true;
      payload = payload.subspan(17 + num_symbols);
    }
    return true;
  }

  // One scan of all components, in the order of the frame, and all coefficients.
  bool read_scan_header(Bytes payload) {
    const auto num = static_cast<std::size_t>(frame_.num_components);
    if (num == 0 || payload.size() != 1 + 2 * num + 3 || byte_at(payload, 0) != num) return false;
    for (std::size_t i = 0; i < num; ++i) {
      FrameComponent& component = frame_.components[i];
      const unsigned tables = byte_at(payload, 2 + 2 * i);
      component.dc_table = static_cast<int>(tables >> 4);
      component.ac_table = static_cast<int>(tables & 15);
      if (byte_at(payload, 1 + 2 * i) != ids_[i]) return false;
      if (component.dc_table >= kMaxTables || component.ac_table >= kMaxTables) return false;
      if (!has_quant_table_[static_cast<std::size_t>(component.quant_table)]) return false;
      if (!has_dc_code_[static_cast<std::size_t>(component.dc_table)]) return false;
      if (!has_ac_code_[static_cast<std::size_t>(component.ac_table)]) return false;
    }
    const bool has_unique_ids =
        num == 1 || (ids_[0] != ids_[1] && ids_[0] != ids_[2] && ids_[1] != ids_[2]);
    const Bytes spectrum = payload.last(3);
    return has_unique_ids && byte_at(spectrum, 0) == 0 && byte_at(spectrum, 1) == 63 &&
           byte_at(spectrum, 2) == 0 && (num == 1 || is_ycc());
  }

  // As libjpeg guesses.
  bool is_ycc() const {
    if (has_jfif_) return true;
    if (adobe_transform_) return *adobe_transform_ != 0;
    return ids_ != std::array<unsigned, 3>{'R', 'G', 'B'};
  }

  Frame frame_;
  std::array<unsigned, 3> ids_{};
  std::array<bool, kMaxTables> has_quant_table_{}, has_dc_code_{}, has_ac_code_{};
  bool has_jfif_ = false;
  std::optional<int> adobe_transform_;
};

}  // namespace

std::optional<Frame> read_frame(Bytes bytes) { return FrameReader().read(bytes); }

}  // namespace penstock::decode
