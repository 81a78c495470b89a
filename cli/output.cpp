// What commands show beside their table.
#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "penstock/storage/file_writer.h"

namespace penstock::cli {

StatusLine::StatusLine(double after_s)
    : is_terminal_(isatty(STDERR_FILENO) != 0), after_s_(after_s) {}

StatusLine::~StatusLine() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void StatusLine::show(std::string_view text) {
  if (!is_terminal_ || (!is_shown_ && seconds_since(began_) < after_s_)) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  is_shown_ = true;
}

void print_text_table(const analyze::ReportTable& table) {
  std::vector<std::size_t> widths;
  widths.reserve(table.head.size());
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    std::size_t width = table.head[i].size();
    for (const auto& row : table.rows) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const auto print_row = [&](const std::vector<std::string>& row, char mark) {
    std::string line = fmt::format("{} {:<{}}", mark, row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += table.words == i ? fmt::format("  {}", row[i])
                               : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    fmt::print("{}\n", line);
  };
  print_row(table.head, ' ');
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    print_row(table.rows[i], table.marked == i ? '*' : ' ');
  }
}

Status write_text_file(const std::string& path, std::string_view text) {
  PENSTOCK_TRY_ASSIGN(const auto writer, storage::make_file_writer(path));
  PENSTOCK_TRY(writer->append(std::as_bytes(std::span(text))));
  return writer->commit();
}

Status write_page(const std::string& path, const analyze::Report& report) {
  return path.empty() ? Status{} : write_text_file(path, analyze::print_html(report));
}

}  // namespace penstock::cli
