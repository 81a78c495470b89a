// A SOURCE as people type it.
#include "source_argument.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "penstock/format/catalog.h"

namespace penstock::cli {
namespace {

// "tar" or "tfrecord" if the name ends like a shard; empty if not.
std::string_view shard_kind(std::string_view path) {
  const auto format = format::format_of(path);
  if (!format.ok()) return {};
  return format->name.substr(0, format->name.find('.'));
}

// The shards directly in a folder, sorted; empty if it holds none.
std::vector<std::string> shards_in(const std::string& path) {
  std::vector<std::string> shards;
  std::error_code error;
  for (const auto& found : std::filesystem::directory_iterator(path, error)) {
    if (!shard_kind(found.path().native()).empty()) shards.push_back(found.path());
  }
  std::ranges::sort(shards);
  return shards;
}

// "tfrecord:train-*": the kind that is written in front of every word; empty if there is none.
std::string_view written_kind(const std::vector<std::string>& words) {
  for (const std::string_view kind : {"tar", "tfrecord", "folder"}) {
    const auto begins = [&](const std::string& word) {
      return word.starts_with(concat(kind, ':'));
    };
    if (std::ranges::all_of(words, begins)) return kind;
  }
  return {};
}

}  // namespace

pipeline::SourceSpec parse_source_argument(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "synthetic") return {"synthetic", {}, {}, {}};
  if (const std::string_view kind = written_kind(words); !kind.empty()) {
    std::vector<std::string> urls = words;
    for (std::string& url : urls) url.erase(0, kind.size() + 1);
    return {std::string(kind), std::move(urls), {}, {}};
  }
  std::vector<std::string> urls = words;
  if (words.size() == 1 && shard_kind(words[0]).empty()) {
    if (auto shards = shards_in(words[0]); !shards.empty()) urls = std::move(shards);
  }
  const std::string_view kind = shard_kind(urls[0]);
  return {std::string(kind.empty() ? "folder" : kind), std::move(urls), {}, {}};
}

source::ProgressFn terminal_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [began = std::chrono::steady_clock::now()](const source::IndexProgress& progress) {
    if (std::chrono::steady_clock::now() - began < std::chrono::seconds(1)) return;
    const bool is_done = progress.total > 0 && progress.done >= progress.total;
    fmt::print(stderr, "\r\x1b[K");
    if (!is_done)
      fmt::print(stderr, "indexing {}: {} of {}", progress.what, progress.done, progress.total);
    std::fflush(stderr);
  };
}

Result<pipeline::OpenSource> open_source_argument(const pipeline::SourceSpec& spec) {
  return pipeline::open_source(spec, {.progress = terminal_progress()});
}

std::uint64_t total_bytes(const source::Source& source) {
  std::uint64_t total = 0;
  bool has_records = false;
  for (std::size_t field = 0; field < source.fields().size(); ++field) {
    const source::FieldKind kind = source.fields()[field].kind;
    if (kind == source::FieldKind::kArray) continue;
    // All features of a sample lie in one record.
    if (kind == source::FieldKind::kFeature && std::exchange(has_records, true)) continue;
    for (std::uint64_t sample = 0; sample < source.num_samples(); ++sample) {
      const auto piece = source.locate(sample, static_cast<int>(field));
      if (piece.ok()) total += piece->size_bytes;
    }
  }
  return total;
}

}  // namespace penstock::cli
