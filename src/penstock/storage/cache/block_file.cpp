// The footer is a row of 64-bit numbers in the machine's order: one for each page, then the
// trailer.
#include "penstock/storage/cache/block_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "penstock/base/text.h"
#include "penstock/storage/cache/page_hash.h"

namespace penstock::storage {
namespace {

constexpr std::uint64_t kMagic = 0x6b6c627473706e70ull;  // "pnpstblk"
constexpr std::uint64_t kVersion = 1;

// Behind it stands its hash together with the table's.
using Trailer = std::array<std::uint64_t, 5>;

Trailer trailer_of(BlockId id, std::size_t data_bytes) {
  return {kMagic, kVersion, id.key, id.number, data_bytes};
}

std::uint64_t number_at(Bytes bytes, std::size_t index) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.subspan(index * sizeof value, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace

std::string block_name(BlockId id) {
  return concat(hexadecimal(id.hash()).substr(0, 2), '/', hexadecimal(id.key), '-', id.number);
}

std::size_t footer_bytes(std::size_t data_bytes) {
  return sizeof(std::uint64_t) * (num_pages(data_bytes) + Trailer().size() + 1);
}

std::vector<std::byte> make_footer(BlockId id, Bytes data) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t begin = 0; begin < data.size(); begin += kPageBytes) {
    numbers.push_back(page_hash(data.subspan(begin, std::min(kPageBytes, data.size() - begin))));
  }
  const Trailer trailer = trailer_of(id, data.size());
  numbers.insert(numbers.end(), trailer.begin(), trailer.end());
  numbers.push_back(page_hash(std::as_bytes(std::span(numbers))));
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

bool is_footer_of(BlockId id, std::size_t data_bytes, Bytes footer) {
  if (footer.size() != footer_bytes(data_bytes)) return false;
  const std::size_t hashed_bytes = footer.size() - sizeof(std::uint64_t);
  if (number_at(footer, hashed_bytes / sizeof(std::uint64_t)) !=
      page_hash(footer.first(hashed_bytes))) {
    return false;
  }
  const Trailer trailer = trailer_of(id, data_bytes);
  for (std::size_t i = 0; i < trailer.size(); ++i) {
    if (number_at(footer, num_pages(data_bytes) + i) != trailer[i]) return false;
  }
  return true;
}

std::uint64_t stored_page_hash(Bytes footer, std::size_t page) { return number_at(footer, page); }

}  // namespace penstock::storage
