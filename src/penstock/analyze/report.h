// What a command found, as one page of HTML that needs nothing beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace penstock::analyze {

// The first column and those of words are left-aligned, the others right, as figures are.
struct ReportTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::optional<std::size_t> marked;  // the row that matters most
  std::optional<std::size_t> words;   // the column of words, which may break
};

// A number that is seen first.
struct Headline {
  std::string name;
  std::string value;
  std::string note;
};

// Title, text, chart and table in this order; what is empty is left out.
struct ReportSection {
  std::string title;
  std::string text;
  std::string chart;  // SVG of chart.h
  ReportTable table;
};

struct Report {
  std::string title;
  std::string summary;
  std::vector<Headline> headlines;
  std::vector<ReportSection> sections;
};

// Light or dark as the reader's machine is set; readable on a phone and on paper.
std::string print_html(const Report& report);

}  // namespace penstock::analyze
