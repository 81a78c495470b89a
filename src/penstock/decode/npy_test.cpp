#include "penstock/decode/npy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::decode {
namespace {

std::string npy(std::string_view header, std::size_t num_bytes, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 255);
  }
  file += header;
  file.append(num_bytes, '\x01');
  return file;
}

std::string dictionary(std::string_view descr, std::string_view shape) {
  return concat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }   \n");
}

Result<NpyArray> parse(const std::string& file) {
  return parse_npy(std::as_bytes(std::span(file)));
}

std::string error_of(const std::string& file) {
  return std::string(parse(file).status().message());
}

TEST(NpyTest, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const std::string file = npy(dictionary("<f4", "(3, 2)"), 24, version);
    const auto array = parse(file);
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->dtype, DType::kF32);
    EXPECT_EQ(array->shape, Shape({3, 2}));
    EXPECT_EQ(array->values.size(), 24u);
    EXPECT_EQ(array->values.data() + 24, std::as_bytes(std::span(file)).data() + file.size());
  }
}

TEST(NpyTest, KnowsTheElementTypes) {
  const std::pair<std::string_view, DType> types[] = {
      {"|u1", DType::kU8},  {"|b1", DType::kU8},  {"<i4", DType::kI32}, {"<i8", DType::kI64},
      {"<f2", DType::kF16}, {"<f4", DType::kF32}, {"<f8", DType::kF64}};
  for (const auto& [descr, dtype] : types) {
    const auto array = parse(npy(dictionary(descr, "(2,)"), 2 * size_bytes(dtype)));
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->dtype, dtype);
  }
}

TEST(NpyTest, ReadsEveryRank) {
  const std::pair<std::string_view, Shape> shapes[] = {{"()", Shape()},
                                                       {"(4,)", Shape({4})},
                                                       {"(2, 2)", Shape({2, 2})},
                                                       {"(2, 1, 2)", Shape({2, 1, 2})},
                                                       {"(1, 2, 2, 1,)", Shape({1, 2, 2, 1})}};
  for (const auto& [text, shape] : shapes) {
    const auto array = parse(npy(dictionary("|u1", text), shape.size()));
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->shape, shape);
  }
}

TEST(NpyTest, AnArrayMayBeEmpty) {
  const auto array = parse(npy(dictionary("<f8", "(0, 9223372036854775807)"), 0));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_TRUE(array->values.empty());
}

TEST(NpyTest, KeysComeInAnyOrder) {
  const auto array =
      parse(npy("{\"shape\": (2,), \"descr\": \"|u1\", \"fortran_order\": False}", 2));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_EQ(array->shape, Shape({2}));
}

TEST(NpyTest, OneDimensionIsTheSameInEveryOrder) {
  EXPECT_TRUE(parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2,)}", 2)).ok());
}

TEST(NpyTest, RejectsArraysItDoesNotRead) {
  for (const std::string& file :
       {npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1)}", 2),
        npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4),
        npy(dictionary(">f4", "(1,)"), 4), npy(dictionary("<U4", "(1,)"), 16),
        npy(dictionary("|O", "(1,)"), 8), npy(dictionary("|u1", "(1, 1, 1, 1, 1)"), 1),
        npy(dictionary("|u1", "(1,)"), 1, 4)}) {
    EXPECT_EQ(parse(file).status().code(), Code::kUnsupported) << error_of(file);
  }
  EXPECT_EQ(error_of(npy(dictionary(">f4", "(1,)"), 4)),
            "npy: element type '>f4', expected u1, i4, i8, f2, f4, f8 or bool, little-endian");
}

TEST(NpyTest, RejectsTheWrongNumberOfValues) {
  EXPECT_EQ(error_of(npy(dictionary("<f4", "(3, 2)"), 23)),
            "npy: has 23 bytes of values, expected 3x2 of f32");
  EXPECT_EQ(error_of(npy(dictionary("|u1", "(1,)"), 2)),
            "npy: has 2 bytes of values, expected 1 of u8");
  // 2^62 * 2^2 bytes overflow to 0.
  EXPECT_EQ(parse(npy(dictionary("<f4", "(4611686018427387904,)"), 0)).status().code(),
            Code::kCorrupt);
}

TEST(NpyTest, RejectsEveryHeaderThatIsCutShort) {
  const std::string whole = npy(dictionary("<f4", "(3, 2)"), 24);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse(whole.substr(0, size)).status().code(), Code::kCorrupt) << size;
  }
}

TEST(NpyTest, RejectsDictionariesThatNumpyDoesNotWrite) {
  for (const std::string_view header :
       {"", "{}", "{'descr': '|u1'}", "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '|u1' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'extra': 1}",
        "{'descr': '|u1, 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_EQ(parse(npy(header, 1)).status().code(), Code::kCorrupt) << header;
  }
  EXPECT_EQ(error_of(npy("{'descr': 3}", 1)),
            "npy: header has '3}' at byte 20, expected a quoted word");
}

TEST(NpyTest, RejectsAHeaderThatIsTooLong) {
  EXPECT_EQ(error_of(npy(std::string(70'000, ' '), 1, 2)),
            "npy: header of 70000 bytes, expected at most 65536");
}

}  // namespace
}  // namespace penstock::decode
