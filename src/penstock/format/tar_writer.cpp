// Writes members in POSIX ustar format, and pax headers for what ustar cannot say.
#include "penstock/format/tar_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

namespace penstock::format {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameSize = 100;
constexpr std::size_t kPrefixSize = 155;
constexpr std::uint64_t kMaxOctalSize = 077777777777;  // eleven digits, 8 GiB - 1

using Header = std::array<char, kBlock>;

void put_text(Header& header, std::size_t offset, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(offset));
}

// `num_digits` octal digits; the field has room for the zero byte behind them.
void put_octal(Header& header, std::size_t offset, std::size_t num_digits, std::uint64_t value) {
  for (std::size_t i = num_digits; i-- > 0; value >>= 3) {
    header[offset + i] = static_cast<char>('0' + (value & 7));
  }
}

struct SplitName {
  std::string_view prefix;
  std::string_view name;
};

// How ustar stores the name: whole, or cut at a slash. nullopt if it does not fit.
std::optional<SplitName> split_name(std::string_view path) {
  if (path.size() <= kNameSize) return SplitName{{}, path};
  if (path.size() > kPrefixSize + 1 + kNameSize) return std::nullopt;
  const std::size_t slash = path.find('/', path.size() - kNameSize - 1);
  if (slash == std::string_view::npos || slash == 0 || slash > kPrefixSize ||
      slash + 1 == path.size()) {
    return std::nullopt;
  }
  return SplitName{path.substr(0, slash), path.substr(slash + 1)};
}

Header ustar_block(SplitName split, std::uint64_t size, char type) {
  Header header{};
  put_text(header, 0, split.name);
  put_octal(header, 100, 7, 0644);
  put_octal(header, 108, 7, 0);  // owner
  put_octal(header, 116, 7, 0);  // group
  put_octal(header, 124, 11, size);
  put_octal(header, 136, 11, 0);  // time
  put_text(header, 148, "        ");
  header[156] = type;
  put_text(header, 257, std::string_view("ustar\00000", 8));
  put_text(header, 345, split.prefix);
  std::uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put_octal(header, 148, 6, sum);
  header[154] = '\0';
  return header;
}

void append(std::vector<std::byte>& out, std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

void append(std::vector<std::byte>& out, const Header& header) {
  append(out, std::string_view(header.data(), header.size()));
}

// "length key=value\n"; the length counts its own digits.
std::string pax_line(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) {
    length = rest + std::to_string(length).size();
  }
  return concat(length, ' ', key, '=', value, '\n');
}

}  // namespace

Result<std::vector<std::byte>> tar_header(std::string_view name, std::uint64_t size_bytes) {
  if (name.empty()) return invalid_argument("the member has no name");
  if (name.find('\0') != std::string_view::npos) {
    return invalid_argument("the member's name holds a zero byte");
  }
  const auto split = split_name(name);
  std::string pax;
  if (!split) pax += pax_line("path", name);
  if (size_bytes > kMaxOctalSize) pax += pax_line("size", std::to_string(size_bytes));

  std::vector<std::byte> out;
  if (!pax.empty()) {
    append(out, ustar_block({{}, "pax_header"}, pax.size(), 'x'));
    append(out, pax);
    out.resize(out.size() + tar_padding(pax.size()));
  }
  // Readers that know no pax see the beginning of the name, and as much of the size as fits.
  append(out, ustar_block(split.value_or(SplitName{{}, name.substr(0, kNameSize)}),
                          std::min(size_bytes, kMaxOctalSize), '0'));
  return out;
}

std::size_t tar_padding(std::uint64_t size_bytes) {
  return static_cast<std::size_t>((kBlock - size_bytes % kBlock) % kBlock);
}

std::vector<std::byte> tar_end() { return std::vector<std::byte>(2 * kBlock); }

Status append_tar_member(std::vector<std::byte>& archive, std::string_view name, Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const auto header, tar_header(name, bytes.size()));
  archive.insert(archive.end(), header.begin(), header.end());
  archive.insert(archive.end(), bytes.begin(), bytes.end());
  archive.resize(archive.size() + tar_padding(bytes.size()));
  return {};
}

}  // namespace penstock::format
