// CRC-32C eight bytes at a time: three interleaved streams of the CPU's instruction, or tables.
// Debian 12 has no library for it.
#include "penstock/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace penstock {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bits reversed

using Table = std::array<std::uint32_t, 256>;

// kTables[k][b] is what byte b does to the checksum after k more bytes of zeros.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = crc >> 8 ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

std::uint64_t load_little_endian(const std::byte* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

#if defined(__x86_64__)

// The product of two polynomials modulo the CRC's, all with their bits reversed.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

// What `num_bytes` bytes of zeros do to a checksum, by its four bytes. `num_bytes` is a power of
// two.
constexpr std::array<Table, 4> make_zeros_tables(std::size_t num_bytes) {
  std::uint32_t power = 1u << (31 - 8);  // x^8: one byte
  for (std::size_t n = 1; n < num_bytes; n *= 2) power = multiply(power, power);
  std::array<Table, 4> tables{};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::uint32_t byte = 1; byte < 256; ++byte) {
      // Linear: a byte is the sum of its lowest bit and the rest.
      const std::uint32_t lowest = byte & (~byte + 1);
      tables[k][byte] = lowest == byte ? multiply(byte << (8 * k), power)
                                       : tables[k][lowest] ^ tables[k][byte ^ lowest];
    }
  }
  return tables;
}

constexpr std::size_t kLong = 8192;
constexpr std::size_t kShort = 256;
constexpr std::array<Table, 4> kLongZeros = make_zeros_tables(kLong);
constexpr std::array<Table, 4> kShortZeros = make_zeros_tables(kShort);

std::uint32_t append_zeros(const std::array<Table, 4>& tables, std::uint64_t crc) {
  return tables[0][crc & 0xff] ^ tables[1][crc >> 8 & 0xff] ^ tables[2][crc >> 16 & 0xff] ^
         tables[3][crc >> 24 & 0xff];
}

std::uint64_t load(const std::byte* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The instruction takes three cycles and one can start in each, so that three independent streams
// keep it busy. They are joined by what follows them being zeros.
template <std::size_t kBlock>
__attribute__((target("sse4.2"))) std::uint64_t three_streams(
    std::uint64_t crc, Bytes& bytes, const std::array<Table, 4>& block_of_zeros) {
  for (; bytes.size() >= 3 * kBlock; bytes = bytes.subspan(3 * kBlock)) {
    const std::byte* const data = bytes.data();
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kBlock; i += 8) {
      crc = _mm_crc32_u64(crc, load(data + i));
      second = _mm_crc32_u64(second, load(data + kBlock + i));
      third = _mm_crc32_u64(third, load(data + 2 * kBlock + i));
    }
    crc = append_zeros(block_of_zeros, crc) ^ second;
    crc = append_zeros(block_of_zeros, crc) ^ third;
  }
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_instruction(Bytes bytes) {
  std::uint64_t crc = 0xffffffff;
  crc = three_streams<kLong>(crc, bytes, kLongZeros);
  crc = three_streams<kShort>(crc, bytes, kShortZeros);
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) crc = _mm_crc32_u64(crc, load(bytes.data()));
  auto rest = static_cast<std::uint32_t>(crc);
  for (const std::byte byte : bytes) rest = _mm_crc32_u8(rest, std::to_integer<std::uint8_t>(byte));
  return ~rest;
}

#endif

}  // namespace

std::uint32_t crc32c_portable(Bytes bytes) {
  std::uint32_t crc = 0xffffffff;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    const std::uint64_t word = load_little_endian(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> (8 * k) & 0xff];
  }
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

std::uint32_t crc32c(Bytes bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_instruction(bytes);
#endif
  return crc32c_portable(bytes);
}

}  // namespace penstock
