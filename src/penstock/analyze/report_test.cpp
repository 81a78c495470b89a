#include "penstock/analyze/report.h"

#include <gmock/gmock.h>

namespace penstock::analyze {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ReportTest, HoldsWhatItWasGivenInOrder) {
  const std::string html = print_html({.title = "A & B",
                                       .summary = "All is well.",
                                       .headlines = {{"rate", "12/s", "of 20"}},
                                       .sections = {{.title = "First", .text = "words"},
                                                    {.title = "Second", .chart = "<svg></svg>"}}});
  EXPECT_THAT(html, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(html, HasSubstr("<b>12/s</b><small>of 20</small>"));
  EXPECT_LT(html.find("First"), html.find("Second"));
  EXPECT_LT(html.find("<h2>Second"), html.find("<svg></svg>"));
}

TEST(ReportTest, MarksTheRowThatMatters) {
  const std::string html = print_html(
      {.title = "t",
       .sections = {
           {.title = "s",
            .table = {.head = {"name", "n"}, .rows = {{"a", "1"}, {"b", "2"}}, .marked = 1}}}});
  EXPECT_THAT(html, HasSubstr("<tr><td>a</td><td>1</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"marked\"><td>b</td><td>2</td></tr>"));
}

TEST(ReportTest, WordsAreSetAsWords) {
  ReportTable table{.head = {"name", "why"}, .rows = {{"a", "2 causes"}}, .marked = {}, .words = 1};
  const std::string html = print_html({.title = "t", .sections = {{.title = "s", .table = table}}});
  EXPECT_THAT(html, HasSubstr("<th class=\"words\">why</th>"));
  EXPECT_THAT(html, HasSubstr("<td>a</td><td class=\"words\">2 causes</td>"));
}

TEST(ReportTest, NeedsNothingFromOutside) {
  const std::string html = print_html({.title = "t", .sections = {{.title = "s"}}});
  for (const char* word : {"src=", "href=", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(word)));
  }
}

}  // namespace
}  // namespace penstock::analyze
