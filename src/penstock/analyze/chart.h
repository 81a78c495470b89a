// Charts as SVG that fits any width: text keeps its size, and colours come from the page's style
// (report.h), light or dark.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::analyze {

// What a mark means; decides its colour.
enum class Tone {
  kPlain,
  kLoad,   // work of the loader
  kStep,   // work of the trainer, and what is good
  kWait,   // time lost, and what is bad
  kMuted,  // to compare with
};

// "&", "<", ">" and quotes, so that any text may stand in a page.
std::string escape_text(std::string_view text);

// Horizontal bars, one below the other, each with its name above it.
struct Bar {
  std::string name;
  double value = 0;
  std::string label;  // the value as it is printed
  Tone tone = Tone::kPlain;
  std::string hover;  // shown when the pointer rests on it; empty: name and label
};
// `full` is the value of a bar that reaches across; 0: that of the longest.
std::string bar_chart(const std::vector<Bar>& bars, double full = 0);

// Who did what when.
struct Span {
  std::size_t row = 0;
  double begin_ms = 0;
  double end_ms = 0;
  Tone tone = Tone::kPlain;
  std::string hover;
};
struct Timeline {
  std::vector<std::string> rows;
  std::vector<Span> spans;
};
std::string timeline_chart(const Timeline& timeline);

// One value for each of a few places along an axis, joined by lines.
struct Point {
  std::string name;  // on the axis
  double value = 0;
  std::string label;
};
// `limit` above 0 is drawn as a line that values are compared with.
std::string line_chart(const std::vector<Point>& points, double limit = 0,
                       std::string_view limit_label = {});

// Colours, fonts and strokes of the charts, for a page that holds them.
std::string_view chart_style();
// A chart as a file of its own.
std::string svg_file(std::string_view chart);

}  // namespace penstock::analyze
