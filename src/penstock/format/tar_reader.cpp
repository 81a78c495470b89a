// Tar headers, as in POSIX.1-2017 "pax Interchange Format" and the GNU tar manual, "Basic Tar
// Format".
#include "penstock/format/tar_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace penstock::format {
namespace {

// Where the fields of a header lie.
struct HeaderField {
  std::size_t offset;
  std::size_t size;
};
constexpr HeaderField kName{0, 100};
constexpr HeaderField kSize{124, 12};
constexpr HeaderField kChecksum{148, 8};
constexpr HeaderField kType{156, 1};
constexpr HeaderField kMagic{257, 6};
constexpr HeaderField kPrefix{345, 155};

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes field_of(Bytes header, HeaderField field) { return header.subspan(field.offset, field.size); }

std::string_view until_zero(std::string_view text) { return text.substr(0, text.find('\0')); }

std::string_view text_field(Bytes header, HeaderField field) {
  return until_zero(text_of(field_of(header, field)));
}

bool is_zero(Bytes block) {
  return std::all_of(block.begin(), block.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Octal digits between blanks or zero bytes; an empty field is 0. The fields are at most 12 digits,
// so this cannot overflow.
std::optional<std::uint64_t> parse_octal(std::string_view text) {
  constexpr std::string_view kBlanks(" \0", 2);
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  if (text.find_first_not_of(kBlanks, end) != std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : text.substr(begin, end - begin)) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

// GNU's extension for large values: the top bit set, then a big-endian number. Negative ones (the
// next bit set) and those above 2^63 make no sense as a size.
std::optional<std::uint64_t> parse_base_256(Bytes field) {
  if (field[0] != std::byte{0x80}) return std::nullopt;
  std::uint64_t value = 0;
  for (const std::byte digit : field.subspan(1)) {
    if (value >> 55 != 0) return std::nullopt;
    value = value << 8 | std::to_integer<std::uint64_t>(digit);
  }
  return value;
}

std::optional<std::uint64_t> parse_number(Bytes field) {
  const bool is_base_256 = (field[0] & std::byte{0x80}) != std::byte{0};
  return is_base_256 ? parse_base_256(field) : parse_octal(text_of(field));
}

// The sum of the header's bytes with the checksum itself taken as blanks. Some old writers summed
// signed characters, so both sums are right.
bool has_right_checksum(Bytes header) {
  const auto expected = parse_octal(text_of(field_of(header, kChecksum)));
  if (!expected) return false;
  std::int64_t unsigned_sum = static_cast<std::int64_t>(' ' * kChecksum.size);
  std::int64_t signed_sum = unsigned_sum;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size) continue;
    unsigned_sum += std::to_integer<std::uint8_t>(header[i]);
    signed_sum += static_cast<std::int8_t>(header[i]);
  }
  const auto sum = static_cast<std::int64_t>(*expected);
  return sum == unsigned_sum || sum == signed_sum;
}

// Name and prefix. GNU's own format ("ustar  ") keeps other things where POSIX keeps the prefix.
std::string header_name(Bytes header) {
  const std::string_view name = text_field(header, kName);
  const std::string_view prefix = text_field(header, kPrefix);
  const bool is_posix = text_of(field_of(header, kMagic)) == std::string_view("ustar\0", 6);
  if (!is_posix || prefix.empty()) return std::string(name);
  return concat(prefix, '/', name);
}

char type_of(Bytes header) { return text_of(field_of(header, kType))[0]; }

bool is_extended(char type) {
  return type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K';
}

// Links, devices, folders and pipes have no bytes, whatever their size field says.
bool has_no_bytes(char type) { return type >= '1' && type <= '6'; }

bool is_regular(char type, std::string_view name) {
  // v7 has no type for folders and marks them by a slash.
  if (type == '\0') return !name.ends_with('/');
  return type == '0' || type == '7';
}

// Of members and of the headers before them, in POSIX and GNU archives.
bool is_known_type(char type) {
  return type == '\0' || (type >= '0' && type <= '7') || is_extended(type) || type == 'S' ||
         type == 'D' || type == 'M' || type == 'N' || type == 'V' || type == 'A';
}

}  // namespace

bool is_tar_header(Bytes block) {
  constexpr HeaderField kMode{100, 8};
  return block.size() == TarReader::kBlock && has_right_checksum(block) &&
         is_known_type(type_of(block)) && !text_field(block, kName).empty() &&
         parse_number(field_of(block, kMode)) && parse_number(field_of(block, kSize));
}

void TarReader::resume_at(std::uint64_t position) {
  position_ = position;
  data_end_ = position;
  needed_bytes_ = std::min(kBlock, shard_size_ - position);
  local_ = {};
  lost_name_.clear();
  is_finished_ = false;
}

Result<std::optional<Record>> TarReader::next(Bytes window) {
  const std::uint64_t begin = position_;
  while (!is_finished_) {
    const std::uint64_t skip = position_ - begin;
    const Bytes rest = skip < window.size() ? window.subspan(skip) : Bytes{};
    auto record = step(rest);
    if (!record.ok()) {
      if (record.status().code() != Code::kNeedMoreBytes) note_loss();
      return record;
    }
    if (record->has_value()) return record;
  }
  return std::optional<Record>{};
}

// What a failure did not say itself. A long name was read before the header that is broken.
void TarReader::note_loss() {
  if (lost_name_.empty()) lost_name_ = local_.name.value_or("");
  if (search_position_ <= position_) search_position_ = std::min(position_ + kBlock, shard_size_);
}

void TarReader::end_at(std::uint64_t shard_size) {
  shard_size_ = shard_size;
  if (data_end_ <= shard_size) position_ = std::min(position_, shard_size);
}

// One header: a member, or nullopt for everything that is none.
Result<std::optional<Record>> TarReader::step(Bytes window) {
  if (position_ > shard_size_) {
    return corrupt("the shard ends after ", shard_size_, " bytes, its last member after ",
                   data_end_);
  }
  window = window.first(std::min<std::uint64_t>(window.size(), shard_size_ - position_));
  if (position_ == shard_size_) return end_of_archive(window);
  if (window.size() < kBlock) return need(kBlock);
  const Bytes header = window.first(kBlock);
  if (is_zero(header)) return end_of_archive(window);
  if (!has_right_checksum(header)) {
    return corrupt("no tar header at byte ", position_, ", its checksum is wrong");
  }
  const char type = type_of(header);
  if (!is_extended(type)) return take_member(header);
  PENSTOCK_TRY(take_extended(type, window));
  return std::optional<Record>{};
}

// Two blocks of zeros, one at the very end of the shard, or just the end of the shard.
Result<std::optional<Record>> TarReader::end_of_archive(Bytes window) {
  if (has_local_overrides()) {
    return corrupt("the archive ends at byte ", position_,
                   ", after the extended header of a member");
  }
  if (shard_size_ - position_ >= 2 * kBlock) {
    if (window.size() < 2 * kBlock) return need(2 * kBlock);
    if (!is_zero(window.subspan(kBlock, kBlock))) {
      return corrupt("a single zero block at byte ", position_,
                     ", expected a header or two of them");
    }
  }
  is_finished_ = true;
  return std::optional<Record>{};
}

Result<std::optional<Record>> TarReader::take_member(Bytes header) {
  const char type = type_of(header);
  std::string name = local_.name    ? *local_.name
                     : global_.name ? *global_.name
                                    : header_name(header);
  if (type == 'S' || local_.is_sparse || global_.is_sparse) {
    lost_name_ = name;
    return unsupported("member ", name, " at byte ", position_,
                       " is a sparse file, expected one packed without --sparse");
  }
  std::optional<std::uint64_t> size = local_.size ? local_.size : global_.size;
  if (!size) size = parse_number(field_of(header, kSize));
  if (!size) {
    lost_name_ = name;
    return corrupt("member ", name, " at byte ", position_, " has a garbage size");
  }
  if (has_no_bytes(type)) size = 0;

  const std::uint64_t offset = position_ + kBlock;
  if (*size > shard_size_ - offset) {
    lost_name_ = name;
    search_position_ = shard_size_;  // what is left are bytes of this member
    return corrupt("member ", name, " at byte ", position_, " needs ", *size,
                   " bytes, the shard has ", shard_size_ - offset, " left");
  }
  move_behind(offset, *size);
  local_ = {};
  if (!is_regular(type, name)) return std::optional<Record>{};
  return std::optional(Record{std::move(name), offset, *size});
}

Status TarReader::take_extended(char type, Bytes window) {
  const auto size = parse_number(field_of(window, kSize));
  if (!size || *size > kMaxExtendedHeader) {
    return corrupt("the extended header at byte ", position_, " has ",
                   size ? concat(*size, " bytes") : "a garbage size", ", expected at most ",
                   kMaxExtendedHeader);
  }
  if (window.size() < kBlock + *size) return need(kBlock + *size);
  const Bytes payload = window.subspan(kBlock, *size);
  if (type == 'L') {
    local_.name = until_zero(text_of(payload));
  } else if (type != 'K') {  // the target of a link, which is passed over
    Overrides& overrides = type == 'g' ? global_ : local_;
    Overrides changed = overrides;  // a header that fails leaves no trace
    PENSTOCK_TRY(parse_pax(payload, changed));
    overrides = std::move(changed);
  }
  move_behind(position_ + kBlock, *size);
  return {};
}

// Lines of "length key=value\n", where length counts the whole line.
Status TarReader::parse_pax(Bytes payload, Overrides& out) const {
  std::string_view text = text_of(payload);
  const auto garbage = [&] {
    return corrupt("the pax header at byte ", position_, " is garbage from its byte ",
                   payload.size() - text.size(), " on");
  };
  while (!text.empty() && text.front() != '\0') {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || length > text.size() || length < digits + 3 || *end != ' ' ||
        text[length - 1] != '\n') {
      return garbage();
    }
    const std::string_view line = text.substr(digits + 1, length - digits - 2);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return garbage();
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (key == "path") {
      // An empty value takes the record back.
      out.name = value.empty() ? std::nullopt : std::optional<std::string>(value);
    } else if (key == "size") {
      std::uint64_t size = 0;
      const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
      if (parsed.ec != std::errc{} || parsed.ptr != value.data() + value.size()) return garbage();
      out.size = size;
    } else if (key.starts_with("GNU.sparse.")) {
      out.is_sparse = true;
    }
    text.remove_prefix(length);
  }
  return {};
}

// The header at position_ reaches `num_bytes` far: asks for them, if the shard has them.
Status TarReader::need(std::uint64_t num_bytes) {
  if (num_bytes > shard_size_ - position_) {
    search_position_ = shard_size_;
    return corrupt("the header at byte ", position_, " needs ", num_bytes, " bytes, the shard has ",
                   shard_size_ - position_, " left");
  }
  needed_bytes_ = num_bytes;
  return need_more_bytes("the header at byte ", position_, " needs ", num_bytes, " bytes");
}

// Moves to the block after `size` bytes at `offset`. The shard is known to hold them, perhaps
// without their padding.
void TarReader::move_behind(std::uint64_t offset, std::uint64_t size) {
  data_end_ = offset + size;
  const std::uint64_t padding = (kBlock - size % kBlock) % kBlock;
  position_ = data_end_ + std::min(padding, shard_size_ - data_end_);
  needed_bytes_ = std::min(kBlock, shard_size_ - position_);
}

bool TarReader::has_local_overrides() const {
  return local_.name.has_value() || local_.size.has_value() || local_.is_sparse;
}

}  // namespace penstock::format
