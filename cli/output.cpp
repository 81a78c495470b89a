// What commands show beside their table.
#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <span>

#include "penstock/storage/file_writer.h"

namespace penstock::cli {

StatusLine::StatusLine() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() {
  if (is_shown_) fmt::print(stderr, "\r\x1b[K");
}

void StatusLine::show(std::string_view text) {
  if (!is_terminal_ || (!is_shown_ && seconds_since(began_) < 1)) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  is_shown_ = true;
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
