#include "penstock/pipeline/sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock::pipeline {
namespace {

using testing::ElementsAre;

SourceSpec synthetic(int samples) {
  return {"synthetic", {}, {{"samples", concat(samples)}, {"shape", "2,2,3"}}, {}};
}

SourceSpec made_of(std::string kind, std::vector<SourceSpec> sources,
                   std::vector<Option> options = {}) {
  return {std::move(kind), {}, std::move(options), std::move(sources)};
}

std::string failure(const SourceSpec& spec) {
  return std::string(open_source(spec, {}).status().message());
}

// Two tables of one column each.
class TablesTest : public testing::Test {
 protected:
  TablesTest() {
    inputs_.arrays.push_back({column("x", first_)});
    inputs_.arrays.push_back({column("y", second_)});
  }

  static source::ArrayColumn column(std::string name, const std::vector<std::int64_t>& numbers) {
    return {{.name = std::move(name), .kind = source::FieldKind::kArray, .dtype = DType::kI64},
            std::as_bytes(std::span(numbers))};
  }
  static SourceSpec table(int number) { return {"arrays", {}, {{"table", concat(number)}}, {}}; }

  std::vector<std::int64_t> first_ = {1, 2, 3};
  std::vector<std::int64_t> second_ = {4, 5, 6};
  SourceInputs inputs_;
};

TEST_F(TablesTest, AreChosenByNumber) {
  EXPECT_EQ((*open_source({"arrays", {}, {}, {}}, inputs_)).source->fields()[0].name, "x");
  EXPECT_EQ((*open_source(table(1), inputs_)).source->fields()[0].name, "y");
  EXPECT_EQ(open_source(table(2), inputs_).status().message(),
            "arrays: table is 2, expected one of the 2 given");
}

TEST_F(TablesTest, CanBeZipped) {
  const auto open = open_source(made_of("zip", {table(0), table(1)}), inputs_);
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_EQ(open->source->fields().size(), 2u);
  EXPECT_FALSE(open->is_sharded);
}

TEST(CombinedSourceTest, ConcatHasAllSamples) {
  const auto open = open_source(made_of("concat", {synthetic(3), synthetic(4)}), {});
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_EQ(open->source->num_samples(), 7u);
  EXPECT_TRUE(open->parts.empty());
}

TEST(CombinedSourceTest, MixTellsItsParts) {
  const auto open =
      open_source(made_of("mix", {synthetic(3), made_of("concat", {synthetic(4), synthetic(5)})},
                          {{"weights", "0.7,0.3"}}),
                  {});
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_EQ(open->source->num_samples(), 12u);
  EXPECT_THAT(open->parts, ElementsAre(MixPart{0.7, 1}, MixPart{0.3, 2}));
}

TEST(CombinedSourceTest, FilterKeepsWhatItsOptionsSay) {
  const auto open =
      open_source(made_of("filter", {synthetic(2000)}, {{"labels", "7"}, {"key", ""}}), {});
  ASSERT_TRUE(open.ok()) << open.status().message();
  EXPECT_LT(open->source->num_samples(), 100u);
}

TEST(CombinedSourceTest, NamesWhatIsWrong) {
  const SourceSpec mix = made_of("mix", {synthetic(1)}, {{"weights", "1"}});
  for (const std::string_view kind : {"concat", "zip", "filter"}) {
    EXPECT_EQ(failure(made_of(std::string(kind), {mix})),
              concat(kind, ": holds a mix, but mix must be outermost"));
  }
  EXPECT_EQ(failure(made_of("mix", {mix}, {{"weights", "1"}})),
            "mix: holds a mix, but mix must be outermost");
  EXPECT_EQ(failure(made_of("mix", {synthetic(1), synthetic(1)}, {{"weights", "1"}})),
            "mix: 1 weights for 2 sources, expected one for each");
  EXPECT_EQ(failure(made_of("mix", {synthetic(1)}, {{"weights", "-1"}})),
            "mix: a weight is -1, expected a number above 0");
  EXPECT_EQ(failure(made_of("mix", {synthetic(1)}, {{"weights", "inf"}})),
            "mix: a weight is inf, expected a number above 0");
  EXPECT_EQ(failure(made_of("filter", {synthetic(1), synthetic(1)})),
            "filter: 2 sources, expected one");
  EXPECT_EQ(failure(made_of("concat", {})), "concat: no sources, expected one or more");
  EXPECT_EQ(failure({"concat", {"a.tar"}, {}, {synthetic(1)}}),
            "concat: 1 paths, expected sources and no paths");
  EXPECT_EQ(failure(made_of("concat", {made_of("concat", {})})),
            "concat: concat: no sources, expected one or more");
}

}  // namespace
}  // namespace penstock::pipeline
