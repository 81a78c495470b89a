#include "penstock/base/fields.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

enum class Filter { kNearest, kBilinear };
constexpr std::array<std::string_view, 2> enum_names(Filter) { return {"nearest", "bilinear"}; }

struct Sample {
  float probability = 0.5f;
  std::array<double, 2> scale = {0.08, 1};
  std::optional<int> limit;
  Filter filter = Filter::kBilinear;
  std::string note;
  bool is_on = true;

  static constexpr auto fields() {
    return std::tuple{Field{"probability", &Sample::probability, "Chance."},
                      Field{"scale", &Sample::scale, "Area."},
                      Field{"limit", &Sample::limit, "Most."},
                      Field{"filter", &Sample::filter, "How."},
                      Field{"note", &Sample::note, "Text."},
                      Field{"is_on", &Sample::is_on, "Switch."}};
  }
};

std::string print(const Sample& sample) {
  return print_option_text({"sample", print_fields(sample)});
}

TEST(FieldsTest, PrintsEveryFieldInOrder) {
  EXPECT_EQ(print({}),
            "sample probability=0.5 scale=0.08,1 limit=none filter=bilinear note=\"\" is_on=true");
}

TEST(FieldsTest, ParsesWhatItPrints) {
  const Sample in{
      .probability = 0.1f, .limit = 3, .filter = Filter::kNearest, .note = "a \"b\" \\c"};
  const auto text = parse_option_text(print(in));
  ASSERT_TRUE(text.ok());
  Sample out;
  ASSERT_TRUE(parse_fields(text->options, out).ok());
  EXPECT_EQ(print(out), print(in));
}

TEST(FieldsTest, NamesTheUnknownOption) {
  Sample out;
  const Option option{"probabilty", "1"};
  EXPECT_EQ(
      parse_fields(std::span(&option, 1), out).message(),
      "no option 'probabilty', expected one of: probability, scale, limit, filter, note, is_on");
}

TEST(FieldsTest, NamesTheValueThatDoesNotParse) {
  Sample out;
  const Option option{"scale", "0.1"};
  EXPECT_EQ(parse_fields(std::span(&option, 1), out).message(),
            "scale is 0.1, expected tuple[float, float]");
}

TEST(FieldsTest, DescribesItself) {
  const auto docs = field_docs<Sample>();
  ASSERT_EQ(docs.size(), 6u);
  EXPECT_EQ(docs[1].type, "tuple[float, float]");
  EXPECT_EQ(docs[2].type, "int | None");
  EXPECT_EQ(docs[3].type, "Literal[\"nearest\", \"bilinear\"]");
  EXPECT_EQ(docs[3].default_text, "bilinear");
}

TEST(FieldsTest, RejectsAnOptionWithoutValue) {
  EXPECT_EQ(parse_option_text("flip often").status().message(),
            "flip: 'often' has no value, expected often=value");
}

}  // namespace
}  // namespace penstock
