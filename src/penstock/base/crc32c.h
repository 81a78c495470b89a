// CRC-32C (Castagnoli, RFC 3720 appendix B.4), with the CPU's own instruction where it has one.
#pragma once

#include <cstdint>

#include "penstock/base/array.h"

namespace penstock {

std::uint32_t crc32c(Bytes bytes);
// The same, from tables: for CPUs without the instruction, and to test the other against.
std::uint32_t crc32c_portable(Bytes bytes);

// TFRecord files keep checksums turned and shifted, so that the checksum of bytes that hold their
// own checksum is nothing special.
constexpr std::uint32_t mask_crc32c(std::uint32_t crc) {
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

}  // namespace penstock
