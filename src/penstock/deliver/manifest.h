// The list of what was bad: one JSON object a line, {"source": "train-3.tar", "record": 17, "key":
// "cat_17", "stage": "decode", "message": "jpeg: ..."}.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/base/result.h"

namespace penstock::deliver {

struct ManifestLine {
  std::string source;                   // the shard, the folder
  std::optional<std::uint64_t> record;  // number in it; none for damage that is no record
  std::string key;                      // empty if there is none
  std::string stage;                    // "index", "read", "decode", ...
  std::string message;
  friend auto operator<=>(const ManifestLine&, const ManifestLine&) = default;
};

std::string print_manifest_line(const ManifestLine& line);

// Fails with kCorrupt, naming the line. A last line without an end that is no object is passed
// over: a process that was killed may have left it.
Result<std::vector<ManifestLine>> parse_manifest(std::string_view text);

// The whole file. kNotFound if there is none.
Result<std::vector<ManifestLine>> read_manifest(const std::string& path);

// Appends to a manifest that may be there already. Every line is written at once and only if it is
// not there yet, so that a run that is resumed or goes through several epochs lists a sample once.
class ManifestWriter {
 public:
  static Result<ManifestWriter> open(const std::string& path);

  ManifestWriter(ManifestWriter&& other) noexcept;
  ManifestWriter& operator=(ManifestWriter&&) = delete;
  ~ManifestWriter();

  Status add(const ManifestLine& line);

 private:
  ManifestWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Status load();

  std::string path_;
  int file_ = -1;
  std::set<ManifestLine> known_;
};

}  // namespace penstock::deliver
