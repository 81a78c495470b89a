#include "penstock/base/crc32c.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace penstock {
namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Numbers that look random.
std::vector<std::byte> noise(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

TEST(Crc32cTest, OfNothingIsZero) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c_portable({}), 0u);
}

TEST(Crc32cTest, AgreesWithTheCheckValueOfTheAlgorithm) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c_portable(bytes_of("123456789")), 0xe3069283u);
}

TEST(Crc32cTest, AgreesWithTheVectorsOfRfc3720) {
  std::vector<std::byte> bytes(32);
  EXPECT_EQ(crc32c(bytes), 0x8a9136aau);
  bytes.assign(32, std::byte{0xff});
  EXPECT_EQ(crc32c(bytes), 0x62a8ab43u);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(bytes), 0x46dd794eu);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::byte>(31 - i);
  EXPECT_EQ(crc32c(bytes), 0x113fdb5cu);
}

TEST(Crc32cTest, InstructionAndTablesAgreeOnEveryLength) {
  const std::vector<std::byte> bytes = noise(1700);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const Bytes part = Bytes(bytes).first(size);
    ASSERT_EQ(crc32c(part), crc32c_portable(part)) << size << " bytes";
  }
}

TEST(Crc32cTest, InstructionAndTablesAgreeAtEveryAlignment) {
  const std::vector<std::byte> bytes = noise(60'000);
  for (std::size_t begin = 0; begin < 16; ++begin) {
    const Bytes part = Bytes(bytes).subspan(begin);
    ASSERT_EQ(crc32c(part), crc32c_portable(part)) << "from byte " << begin;
  }
}

TEST(Crc32cTest, MaskTurnsAndShifts) {
  EXPECT_EQ(mask_crc32c(0), 0xa282ead8u);
  EXPECT_EQ(mask_crc32c(0x12345678), 0xacf02468u + 0xa282ead8u);
}

}  // namespace
}  // namespace penstock
