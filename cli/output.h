// What commands show beside their table: a line of progress, and files with pages and pictures.
#pragma once

#include <string>
#include <string_view>

#include "clock.h"
#include "penstock/analyze/report.h"
#include "penstock/base/status.h"

namespace penstock::cli {

inline constexpr const char* kHtmlHelp = "Also write a page with charts to this file";

// One line on stderr that is written over and over, if somebody looks. It is gone when the command
// goes on.
class StatusLine {
 public:
  // Shows nothing before `after_s`, so that what is quick shows nothing at all.
  explicit StatusLine(double after_s = 1);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);

 private:
  const bool is_terminal_;
  const Clock::time_point began_ = Clock::now();
  const double after_s_;
  bool is_shown_ = false;
};

// Columns as wide as they must be; a star before the row that is marked.
void print_text_table(const analyze::ReportTable& table);

// Replaces what is there.
Status write_text_file(const std::string& path, std::string_view text);

// Nothing if `path` is empty.
Status write_page(const std::string& path, const analyze::Report& report);

}  // namespace penstock::cli
