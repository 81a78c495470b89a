#include "penstock/pipeline/readers.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "penstock/pipeline/plan.h"

namespace penstock::pipeline {
namespace {

// Two samples of a column of numbers and one of rows.
constexpr std::array<std::int64_t, 2> kNumbers = {1, 2};
constexpr std::array<float, 12> kRows = {};

Result<FieldPlan> plan(const std::string& name, const std::string& reader) {
  std::vector<source::ArrayColumn> columns = {
      {{"numbers", source::FieldKind::kArray, DType::kI64, {}}, std::as_bytes(std::span(kNumbers))},
      {{"rows", source::FieldKind::kArray, DType::kF32, {3, 2}}, std::as_bytes(std::span(kRows))}};
  const auto source = source::make_array_source(std::move(columns));
  PENSTOCK_TRY(source);
  PENSTOCK_TRY_ASSIGN(const OptionText text, parse_option_text(reader));
  return plan_field({name, text, {}}, **source, 0);
}

std::string error_of(const std::string& name, const std::string& reader) {
  return std::string(plan(name, reader).status().message());
}

TEST(ReadersTest, AreListedOnce) {
  std::string names;
  for (const ReaderDoc& reader : reader_docs()) names += concat(reader.name, ' ');
  EXPECT_EQ(names, "image label number array npy bytes text json check ");
  EXPECT_EQ(error_of("rows", "video"),
            "video 'rows': no reader 'video', expected one of: image, label, number, array, npy, "
            "bytes, text, json, check");
}

TEST(ReadersTest, ALabelKeepsTheTypeOfItsColumn) {
  const auto field = plan("numbers", "label");
  ASSERT_TRUE(field.ok()) << field.status().message();
  EXPECT_EQ(field->dtype, DType::kI64);
  EXPECT_EQ(field->shape, Shape());
}

TEST(ReadersTest, ANumberHasTheTypeAskedFor) {
  const auto field = plan("numbers", "number dtype=i32 default=-3");
  ASSERT_TRUE(field.ok()) << field.status().message();
  EXPECT_EQ(field->dtype, DType::kI32);
  EXPECT_EQ(*std::get<NumberReader>(field->reader).fallback,
            (Number{std::byte{0xfd}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}}));
}

TEST(ReadersTest, RejectANumberThatTheTypeDoesNotHold) {
  EXPECT_EQ(error_of("numbers", "number dtype=i32 default=3e9"),
            "number 'numbers': default: 3e+09 does not fit i32");
  EXPECT_EQ(error_of("numbers", "number dtype=i64 default=0.5"),
            "number 'numbers': default: 0.5 is not a whole number of i64");
}

TEST(ReadersTest, RejectColumnsThatDoNotFit) {
  EXPECT_EQ(error_of("rows", "label"),
            "label 'rows': rows are 3x2, expected one number; use array");
  EXPECT_EQ(error_of("rows", "array dtype=i64"),
            "array 'rows': rows are f32, which do not convert to i64");
  EXPECT_EQ(error_of("rows", "array shape=2,3"), "array 'rows': rows are 3x2, expected 2x3");
  EXPECT_EQ(error_of("rows", "array ragged=true"),
            "array 'rows': is a column of rows of one shape; ragged and length are for others");
  for (const std::string reader : {"npy", "bytes", "text", "json"}) {
    EXPECT_EQ(error_of("rows", reader),
              concat(reader, " 'rows': is an array in memory, expected bytes; use array"));
  }
}

TEST(ReadersTest, RejectOps) {
  const auto source = source::make_synthetic_source({.samples = 1});
  ASSERT_TRUE(source.ok());
  const FieldSpec spec{"label", {"label", {}}, {{"normalize", {}}}};
  EXPECT_EQ(plan_field(spec, **source, 0).status().message(),
            "label 'label': takes no ops, found normalize");
}

}  // namespace
}  // namespace penstock::pipeline
