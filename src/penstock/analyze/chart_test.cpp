#include "penstock/analyze/chart.h"

#include <gmock/gmock.h>

namespace penstock::analyze {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ChartTest, BarsAreAsLongAsTheirShareOfTheLongest) {
  const std::string svg =
      bar_chart({{"bound", 200, "200/s", Tone::kStep}, {"now", 50, "50/s", Tone::kLoad}});
  EXPECT_THAT(svg, HasSubstr("<rect class=\"step\" x=\"0\" y=\"20\" width=\"100.000%\""));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"load\" x=\"0\" y=\"60\" width=\"25.000%\""));
  EXPECT_THAT(svg, HasSubstr("<title>now: 50/s</title>"));
}

TEST(ChartTest, BarsMayBeSharesOfSomethingElse) {
  EXPECT_THAT(bar_chart({{"wait", 40, "40 %"}}, 100), HasSubstr("width=\"40.000%\""));
}

TEST(ChartTest, SpansLieOnTheirRowAtTheirTime) {
  const std::string svg = timeline_chart(
      {.rows = {"worker 0", "accelerator"},
       .spans = {{0, 0, 10, Tone::kLoad, "batch 0"}, {1, 10, 40, Tone::kStep, "step 0"}}});
  EXPECT_THAT(svg, HasSubstr("class=\"load span\" x=\"0.000%\" y=\"17\" width=\"25.000%\""));
  EXPECT_THAT(svg, HasSubstr("class=\"step span\" x=\"25.000%\" y=\"55\" width=\"75.000%\""));
  EXPECT_THAT(svg, HasSubstr(">10 ms</text>"));
}

TEST(ChartTest, LinesReachTheLimitAtTheTop) {
  const std::string svg = line_chart({{"1", 50, "50"}, {"2", 100, "100"}}, 200, "bound");
  EXPECT_THAT(svg, HasSubstr("<line class=\"limit\" x1=\"0\" x2=\"100%\" y1=\"30.0\""));
  EXPECT_THAT(svg, HasSubstr("x1=\"25.000%\" y1=\"157.5\" x2=\"75.000%\" y2=\"115.0\""));
}

TEST(ChartTest, NamesCannotBreakThePage) {
  const std::string svg = bar_chart({{"<b>&\"", 1, "1"}});
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(ChartTest, NothingToDrawIsAnEmptyChart) {
  EXPECT_THAT(bar_chart({}), HasSubstr("height=\"0\""));
  EXPECT_THAT(timeline_chart({}), HasSubstr("</svg>"));
  EXPECT_THAT(line_chart({}), HasSubstr("</svg>"));
}

TEST(ChartTest, AFileHasItsOwnColoursAndWidth) {
  const std::string file = svg_file(bar_chart({{"a", 1, "1"}}));
  EXPECT_TRUE(file.starts_with("<svg"));
  EXPECT_THAT(file, HasSubstr("width=\"960\""));
  EXPECT_THAT(file, HasSubstr("<style>:root{"));
  EXPECT_THAT(file, HasSubstr("prefers-color-scheme:dark"));
}

}  // namespace
}  // namespace penstock::analyze
