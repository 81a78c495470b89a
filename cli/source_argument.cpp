// A SOURCE as people type it.
#include "source_argument.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace penstock::cli {
namespace {

constexpr std::array<std::string_view, 5> kTarEndings = {".tar", ".tgz", ".tar.gz", ".tar.zst",
                                                         ".tar.zstd"};

bool is_shard(std::string_view path) {
  return std::ranges::any_of(kTarEndings,
                             [&](std::string_view end) { return path.ends_with(end); });
}

// The shards directly in a folder, sorted; empty if it holds none.
std::vector<std::string> shards_in(const std::string& path) {
  std::vector<std::string> shards;
  std::error_code error;
  for (const auto& found : std::filesystem::directory_iterator(path, error)) {
    if (is_shard(found.path().native())) shards.push_back(found.path());
  }
  std::ranges::sort(shards);
  return shards;
}

}  // namespace

pipeline::SourceSpec parse_source_argument(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "synthetic") return {"synthetic", {}, {}};
  if (std::ranges::any_of(words, is_shard)) return {"tar", words, {}};
  if (words.size() == 1) {
    std::vector<std::string> shards = shards_in(words[0]);
    if (!shards.empty()) return {"tar", std::move(shards), {}};
  }
  return {"folder", words, {}};
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

}  // namespace penstock::cli
