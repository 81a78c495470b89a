// Charts as SVG. Places across are percentages and places down are pixels, so that a chart gets
// wider or narrower with the page while text stays readable.
#include "penstock/analyze/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace penstock::analyze {
namespace {

constexpr std::string_view kOpenTag =
    R"(<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="100%" role="img" )";
constexpr double kLeastWidth = 0.08;  // percent; thinner marks would not be seen

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "plain";
    case Tone::kLoad:
      return "load";
    case Tone::kStep:
      return "step";
    case Tone::kWait:
      return "wait";
    case Tone::kMuted:
      return "muted";
  }
  return "plain";
}

std::string open_svg(int height) { return fmt::format("{}height=\"{}\">\n", kOpenTag, height); }

// 1, 2 or 5 times a power of ten, so that about `count` of them reach `length`.
double round_step(double length, int count) {
  const double rough = length / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough) return power * factor;
  }
  return power * 10;
}

std::string time_label(double ms) {
  return ms >= 10'000 ? fmt::format("{:g} s", ms / 1000) : fmt::format("{:g} ms", ms);
}

// Vertical lines with times below them.
void draw_time_axis(std::string& out, double length_ms, int bottom) {
  const double step = round_step(length_ms, 6);
  for (int i = 0; i * step <= length_ms; ++i) {
    const double x = 100 * i * step / length_ms;
    fmt::format_to(std::back_inserter(out),
                   "<line class=\"grid\" x1=\"{0:.3f}%\" x2=\"{0:.3f}%\" y1=\"0\" y2=\"{1}\"/>", x,
                   bottom);
    const std::string_view anchor = i == 0 ? "start" : (x > 95 ? "end" : "middle");
    fmt::format_to(std::back_inserter(out),
                   "<text class=\"axis\" x=\"{:.3f}%\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x,
                   bottom + 16, anchor, time_label(i * step));
  }
}

void draw_point(std::string& out, const Point& point, double x, double y, int bottom) {
  fmt::format_to(std::back_inserter(out),
                 "<circle class=\"plain\" cx=\"{:.3f}%\" cy=\"{:.1f}\" r=\"4\"><title>{}: "
                 "{}</title></circle>",
                 x, y, escape_text(point.name), escape_text(point.label));
  fmt::format_to(
      std::back_inserter(out),
      "<text class=\"value\" x=\"{:.3f}%\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x,
      y - 10, escape_text(point.label));
  fmt::format_to(std::back_inserter(out),
                 "<text class=\"axis\" x=\"{:.3f}%\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                 x, bottom + 18, escape_text(point.name));
}

}  // namespace

std::string escape_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bar_chart(const std::vector<Bar>& bars, double full) {
  constexpr int kRow = 40;
  double most = full;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  std::string out = open_svg(static_cast<int>(bars.size()) * kRow);
  int y = 0;
  for (const Bar& bar : bars) {
    const double width = most > 0 ? std::max(kLeastWidth, 100 * bar.value / most) : kLeastWidth;
    const std::string hover = bar.hover.empty() ? bar.name + ": " + bar.label : bar.hover;
    fmt::format_to(std::back_inserter(out), "<text class=\"name\" x=\"0\" y=\"{}\">{}</text>",
                   y + 14, escape_text(bar.name));
    fmt::format_to(std::back_inserter(out),
                   "<text class=\"value\" x=\"100%\" y=\"{}\" text-anchor=\"end\">{}</text>",
                   y + 14, escape_text(bar.label));
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"track\" x=\"0\" y=\"{0}\" width=\"100%\" height=\"12\" rx=\"3\"/>"
                   "<rect class=\"{1}\" x=\"0\" y=\"{0}\" width=\"{2:.3f}%\" height=\"12\" "
                   "rx=\"3\"><title>{3}</title></rect>\n",
                   y + 20, class_of(bar.tone), width, escape_text(hover));
    y += kRow;
  }
  return out + "</svg>\n";
}

std::string timeline_chart(const Timeline& timeline) {
  constexpr int kRow = 38;
  double length_ms = 1e-9;
  for (const Span& span : timeline.spans) length_ms = std::max(length_ms, span.end_ms);
  const int bottom = static_cast<int>(timeline.rows.size()) * kRow + 4;
  std::string out = open_svg(bottom + 24);
  draw_time_axis(out, length_ms, bottom);
  for (std::size_t row = 0; row < timeline.rows.size(); ++row) {
    fmt::format_to(std::back_inserter(out), "<text class=\"row\" x=\"0\" y=\"{}\">{}</text>\n",
                   static_cast<int>(row) * kRow + 13, escape_text(timeline.rows[row]));
  }
  for (const Span& span : timeline.spans) {
    const double width = 100 * (span.end_ms - span.begin_ms) / length_ms;
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"{} span\" x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" "
                   "height=\"18\"><title>{}</title></rect>\n",
                   class_of(span.tone), 100 * span.begin_ms / length_ms,
                   static_cast<int>(span.row) * kRow + 17, std::max(kLeastWidth, width),
                   escape_text(span.hover));
  }
  return out + "</svg>\n";
}

std::string line_chart(const std::vector<Point>& points, double limit,
                       std::string_view limit_label) {
  constexpr int kTop = 30;
  constexpr int kBottom = 200;
  double most = std::max(limit, 1e-9);
  for (const Point& point : points) most = std::max(most, point.value);
  const auto y_of = [&](double value) { return kBottom - (kBottom - kTop) * value / most; };
  const auto x_of = [&](std::size_t i) {
    return 100 * (static_cast<double>(i) + 0.5) / static_cast<double>(points.size());
  };
  std::string out = open_svg(kBottom + 28);
  fmt::format_to(std::back_inserter(out),
                 "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>\n", kBottom);
  if (limit > 0) {
    fmt::format_to(std::back_inserter(out),
                   "<line class=\"limit\" x1=\"0\" x2=\"100%\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>"
                   "<text class=\"axis\" x=\"0\" y=\"{1:.1f}\">{2}</text>\n",
                   y_of(limit), y_of(limit) - 6, escape_text(limit_label));
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    fmt::format_to(std::back_inserter(out),
                   "<line class=\"curve\" x1=\"{:.3f}%\" y1=\"{:.1f}\" x2=\"{:.3f}%\" "
                   "y2=\"{:.1f}\"/>\n",
                   x_of(i - 1), y_of(points[i - 1].value), x_of(i), y_of(points[i].value));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    draw_point(out, points[i], x_of(i), y_of(points[i].value), kBottom);
  }
  return out + "</svg>\n";
}

std::string_view chart_style() {
  return R"(:root{--ink:#1c2430;--soft:#5d6b7e;--line:#dfe4ec;--track:#eef1f6;--page:#f5f7fa;--card:#fff;
--plain:#3567c8;--load:#3d7fe0;--step:#2a9d6a;--wait:#e0533d;--muted:#a3aebd}
@media (prefers-color-scheme:dark){:root{--ink:#e8ecf2;--soft:#9aa7b8;--line:#313b49;--track:#28313d;
--page:#12171e;--card:#1b222c;--plain:#6ea0ff;--load:#5b9bff;--step:#3fc088;--wait:#ff7a63;--muted:#66738a}}
.chart{display:block;overflow:visible;font:13px system-ui,sans-serif}
.chart text{fill:var(--ink)}.chart .axis,.chart .row{fill:var(--soft);font-size:12px}
.chart .value{font-weight:600;font-variant-numeric:tabular-nums}
.chart .track{fill:var(--track)}.chart .plain{fill:var(--plain)}.chart .load{fill:var(--load)}
.chart .step{fill:var(--step)}.chart .wait{fill:var(--wait)}.chart .muted{fill:var(--muted)}
.chart .span{stroke:var(--card);stroke-width:1}.chart .span:hover,.chart rect:hover{opacity:.8}
.chart .grid{stroke:var(--line)}.chart .limit{stroke:var(--step);stroke-width:1.5;stroke-dasharray:5 4}
.chart .curve{stroke:var(--plain);stroke-width:2.5;stroke-linecap:round}
)";
}

std::string svg_file(std::string_view chart) {
  std::string out(chart);
  const std::size_t tag_end = out.find('>') + 1;
  out.insert(tag_end, fmt::format("<style>{}svg{{background:var(--card);padding:16px}}</style>\n",
                                  chart_style()));
  const std::string_view width = "width=\"100%\"";
  out.replace(out.find(width), width.size(), "width=\"960\"");
  return out;
}

}  // namespace penstock::analyze
