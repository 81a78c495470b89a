// Entry points and their bytes.
#include "penstock/decode/jpeg/entry_points.h"

#include <algorithm>

#include "penstock/base/hash.h"

namespace penstock::decode {
namespace {

constexpr double kMaxShare = 0.0125;
constexpr int kMinColumnStep = 8;
constexpr int kMaxPoints = 65535;

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeadBytes = 16;
// Of a point: how many bits behind the one before it, and each DC coefficient.
constexpr int kDistanceBits = 20;
constexpr int kDcBits = 12;

std::size_t point_bytes(int num_components) {
  return static_cast<std::size_t>(kDistanceBits + kDcBits * num_components) / 8;
}

int round_up_quotient(int a, int b) { return (a + b - 1) / b; }

// What tells one image from another: also the same header before another scan of the same length.
std::uint64_t image_hash(const Frame& frame, Bytes image) {
  constexpr std::size_t kNumSamples = 16, kSampleBytes = 8;
  std::uint64_t hash = hash_bytes(image.first(frame.scan_begin), image.size());
  const Bytes scan = image.subspan(frame.scan_begin);
  if (scan.size() < kNumSamples * kSampleBytes) return hash_bytes(scan, hash);
  const std::size_t distance = (scan.size() - kSampleBytes) / (kNumSamples - 1);
  for (std::size_t i = 0; i < kNumSamples; ++i) {
    hash = hash_bytes(scan.subspan(i * distance, kSampleBytes), hash);
  }
  return hash;
}

std::uint64_t load_number(Bytes bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

void append_number(std::uint64_t value, std::size_t num_bytes, std::vector<std::byte>& out) {
  for (std::size_t i = 0; i < num_bytes; ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

bool fits(const EntryPoint& point, std::uint64_t bit_before) {
  constexpr std::int32_t kMaxDc = 1 << (kDcBits - 1);
  return point.bit - bit_before < 1u << kDistanceBits &&
         std::ranges::all_of(point.dc, [](auto dc) { return dc >= -kMaxDc && dc < kMaxDc; });
}

}  // namespace

EntryGrid EntryGrid::choose(const Frame& frame, std::size_t file_bytes) {
  if (frame.restart_interval > 0) return {};  // restart markers are entry points themselves
  const double allowed = kMaxShare * static_cast<double>(file_bytes) - kHeadBytes;
  const auto max_points = static_cast<int>(std::min<double>(
      allowed / static_cast<double>(point_bytes(frame.num_components)), kMaxPoints));
  const int columns = frame.num_mcu_columns(), rows = frame.num_mcu_rows();
  if (max_points < 2) return {};
  EntryGrid grid{kMinColumnStep, 1};
  while (grid.column_step < columns &&
         round_up_quotient(columns, grid.column_step) * rows > max_points) {
    grid.column_step *= 2;
  }
  if (grid.column_step >= columns) grid.column_step = columns;
  while (round_up_quotient(columns, grid.column_step) * round_up_quotient(rows, grid.row_step) >
         max_points) {
    grid.row_step *= 2;
  }
  return grid;
}

EntryPoints::EntryPoints(const Frame& frame, Bytes image, Bytes record)
    : grid_(EntryGrid::choose(frame, image.size())),
      num_columns_(frame.num_mcu_columns()),
      num_mcus_(frame.num_mcu_columns() * frame.num_mcu_rows()),
      num_components_(frame.num_components) {
  if (grid_.column_step == 0) return;
  row_places_ = static_cast<std::size_t>(round_up_quotient(num_columns_, grid_.column_step));
  num_places_ = row_places_ *
                static_cast<std::size_t>(round_up_quotient(frame.num_mcu_rows(), grid_.row_step));
  if (!record.empty() && !decode(frame, image, record)) points_.clear();
}

std::size_t EntryPoints::place_before(int mcu) const {
  const int row = mcu / num_columns_, column = mcu % num_columns_;
  const auto row_place = static_cast<std::size_t>(row / grid_.row_step) * row_places_;
  // Behind a row that has none, all of the row before counts.
  if (row % grid_.row_step != 0) return row_place + row_places_ - 1;
  return row_place + static_cast<std::size_t>(column / grid_.column_step);
}

int EntryPoints::mcu_of(std::size_t i) const {
  if (i >= num_places_) return num_mcus_;
  const auto row = static_cast<int>(i / row_places_) * grid_.row_step;
  return row * num_columns_ + static_cast<int>(i % row_places_) * grid_.column_step;
}

void EntryPoints::add(const EntryPoint& point) {
  if (!fits(point, points_.empty() ? 0 : points_.back().bit)) {
    num_places_ = points_.size();
    return;
  }
  points_.push_back(point);
}

// version, number of components (u8 each), steps, number of points (u16 each), hash of the image
// and of the points (u64), points.
std::vector<std::byte> EntryPoints::encode(const Frame& frame, Bytes image) const {
  std::vector<std::byte> out;
  const std::size_t size = point_bytes(num_components_);
  out.reserve(kHeadBytes + size * points_.size());
  append_number(kVersion, 1, out);
  append_number(static_cast<std::uint64_t>(num_components_), 1, out);
  append_number(static_cast<std::uint64_t>(grid_.column_step), 2, out);
  append_number(static_cast<std::uint64_t>(grid_.row_step), 2, out);
  append_number(points_.size(), 2, out);
  append_number(0, 8, out);  // where the hash goes
  std::uint64_t before = 0;
  for (const EntryPoint& point : points_) {
    std::uint64_t packed = point.bit - before;
    for (int c = 0; c < num_components_; ++c) {
      const auto dc =
          static_cast<std::uint64_t>(point.dc[static_cast<std::size_t>(c)]) & ((1u << kDcBits) - 1);
      packed |= dc << (kDistanceBits + kDcBits * c);
    }
    append_number(packed, size, out);
    before = point.bit;
  }
  const std::uint64_t hash = hash_bytes(Bytes(out).subspan(kHeadBytes), image_hash(frame, image));
  for (std::size_t i = 0; i < 8; ++i) out[8 + i] = static_cast<std::byte>(hash >> 8 * i);
  return out;
}

bool EntryPoints::decode(const Frame& frame, Bytes image, Bytes record) {
  if (record.size() < kHeadBytes) return false;
  const auto number = [&](std::size_t offset, std::size_t size) {
    return load_number(record.subspan(offset, size));
  };
  const std::size_t count = number(6, 2), size = point_bytes(num_components_);
  if (number(0, 1) != kVersion || number(1, 1) != static_cast<std::uint64_t>(num_components_)) {
    return false;
  }
  if (number(2, 2) != static_cast<std::uint64_t>(grid_.column_step) ||
      number(4, 2) != static_cast<std::uint64_t>(grid_.row_step)) {
    return false;
  }
  if (count > num_places_ || record.size() != kHeadBytes + size * count) return false;
  if (number(8, 8) != hash_bytes(record.subspan(kHeadBytes), image_hash(frame, image))) {
    return false;
  }
  points_.resize(count);
  std::uint64_t bit = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t packed = number(kHeadBytes + i * size, size);
    bit += packed & ((1u << kDistanceBits) - 1);
    points_[i].bit = bit;
    for (int c = 0; c < num_components_; ++c) {
      const auto dc = static_cast<std::int64_t>(packed >> (kDistanceBits + kDcBits * c));
      points_[i].dc[static_cast<std::size_t>(c)] =
          static_cast<std::int32_t>(dc << (64 - kDcBits) >> (64 - kDcBits));
    }
  }
  return bit / 8 < image.size() - frame.scan_begin;
}

}  // namespace penstock::decode
