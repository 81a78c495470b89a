// A page of HTML from a Report.
#include "penstock/analyze/report.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "penstock/analyze/chart.h"

namespace penstock::analyze {
namespace {

constexpr std::string_view kPageStyle =
    R"(*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:960px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:28px;line-height:1.2;margin:0 0 8px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:18px;margin:0 0 4px}p{margin:0 0 14px;color:var(--soft);max-width:70ch}
.summary{font-size:17px;margin-bottom:24px}
.headlines{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0 0 20px}
.headline,section{background:var(--card);border:1px solid var(--line);border-radius:12px}
.headline{padding:14px 16px}.headline b{display:block;font-size:24px;line-height:1.25;
font-variant-numeric:tabular-nums}.headline span,.headline small{display:block;color:var(--soft);font-size:13px;
line-height:1.4}
section{padding:20px 22px;margin:0 0 20px}section>*:last-child{margin-bottom:0}
.chart{margin:10px 0 14px}
.scroll{overflow-x:auto;margin:6px -4px 0;padding:0 4px}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{padding:7px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}th:first-child,td:first-child{text-align:left;padding-left:2px}
th:last-child,td:last-child{padding-right:2px}tr:last-child td{border-bottom:0}
tr.marked td{font-weight:650;background:color-mix(in srgb,var(--plain) 10%,transparent)}
.words{text-align:left;min-width:170px}td.words{white-space:normal}
footer{color:var(--soft);font-size:13px}
@media (max-width:600px){main{padding:24px 14px 40px}h1{font-size:23px}section{padding:16px 14px}
.headlines{grid-template-columns:1fr 1fr}.headline b{font-size:20px}}
@media print{body{background:#fff}section,.headline{break-inside:avoid}}
)";

void print_row(std::string& out, const ReportTable& table, const std::vector<std::string>& cells,
               std::string_view tag) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "<{0}{1}>{2}</{0}>", tag,
                   table.words == i ? " class=\"words\"" : "", escape_text(cells[i]));
  }
  out += "</tr>\n";
}

void print_table(std::string& out, const ReportTable& table) {
  if (table.rows.empty()) return;
  out += "<div class=\"scroll\"><table>\n<tr>";
  print_row(out, table, table.head, "th");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    out += table.marked == row ? "<tr class=\"marked\">" : "<tr>";
    print_row(out, table, table.rows[row], "td");
  }
  out += "</table></div>\n";
}

void print_headlines(std::string& out, const std::vector<Headline>& headlines) {
  if (headlines.empty()) return;
  out += "<div class=\"headlines\">\n";
  for (const Headline& line : headlines) {
    fmt::format_to(std::back_inserter(out),
                   "<div class=\"headline\"><span>{}</span><b>{}</b><small>{}</small></div>\n",
                   escape_text(line.name), escape_text(line.value), escape_text(line.note));
  }
  out += "</div>\n";
}

void print_section(std::string& out, const ReportSection& section) {
  fmt::format_to(std::back_inserter(out), "<section>\n<h2>{}</h2>\n", escape_text(section.title));
  if (!section.text.empty()) {
    fmt::format_to(std::back_inserter(out), "<p>{}</p>\n", escape_text(section.text));
  }
  out += section.chart;
  print_table(out, section.table);
  out += "</section>\n";
}

}  // namespace

std::string print_html(const Report& report) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n"
      "<style>\n{1}{2}</style>\n</head>\n<body><main>\n<h1>{0}</h1>\n",
      escape_text(report.title), chart_style(), kPageStyle);
  if (!report.summary.empty()) {
    fmt::format_to(std::back_inserter(out), "<p class=\"summary\">{}</p>\n",
                   escape_text(report.summary));
  }
  print_headlines(out, report.headlines);
  for (const ReportSection& section : report.sections) print_section(out, section);
  out += "<footer>Made by penstock.</footer>\n</main></body>\n</html>\n";
  return out;
}

}  // namespace penstock::analyze
