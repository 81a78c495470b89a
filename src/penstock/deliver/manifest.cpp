// Reading and writing the list of what was bad.
#include "penstock/deliver/manifest.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace penstock::deliver {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

Result<ManifestLine> parse_line(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return corrupt("not a JSON object");
  ManifestLine line;
  for (const auto& [key, out] : {std::pair{"source", &line.source},
                                 {"key", &line.key},
                                 {"stage", &line.stage},
                                 {"message", &line.message}}) {
    auto value = text_at(object, key);
    if (!value) return corrupt("no text '", key, "'");
    *out = *std::move(value);
  }
  const auto record = object.find("record");
  if (record == object.end() || record->is_null()) return line;
  if (!record->is_number_unsigned()) return corrupt("record is not a whole number");
  line.record = record->get<std::uint64_t>();
  return line;
}

// Everything that is left in the file.
std::string read_text(std::ifstream file) {
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Status file_failure(const std::string& path) { return io_error(path, ": ", std::strerror(errno)); }

}  // namespace

std::string print_manifest_line(const ManifestLine& line) {
  const Json object = {{"source", line.source},
                       {"record", line.record ? Json(*line.record) : Json(nullptr)},
                       {"key", line.key},
                       {"stage", line.stage},
                       {"message", line.message}};
  // File names need not be UTF-8, and JSON has to be.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<ManifestLine>> parse_manifest(std::string_view text) {
  std::vector<ManifestLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const bool is_cut = end == std::string_view::npos;
    auto line = parse_line(text.substr(0, end));
    if (line.ok()) {
      lines.push_back(*std::move(line));
    } else if (!is_cut) {
      return line.status().at(concat("manifest: line ", number));
    }
    text.remove_prefix(is_cut ? text.size() : end + 1);
  }
  return lines;
}

Result<std::vector<ManifestLine>> read_manifest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(path, ": no manifest there");
  return parse_manifest(read_text(std::move(file))).at(path);
}

Result<ManifestWriter> ManifestWriter::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return file_failure(path);
  ManifestWriter writer(path, file);
  // Other ranks may open it at the same time; lines are appended whole, so only this needs a lock.
  if (flock(file, LOCK_EX) != 0) return file_failure(path);
  PENSTOCK_TRY(writer.load());
  if (flock(file, LOCK_UN) != 0) return file_failure(path);
  return writer;
}

// Reads what is there. A line that was cut is taken off, and one that only lacks its end gets it.
Status ManifestWriter::load() {
  const std::string text = read_text(std::ifstream(path_, std::ios::binary));
  PENSTOCK_TRY_ASSIGN(const auto lines, parse_manifest(text).at(path_));
  known_.insert(lines.begin(), lines.end());
  if (text.empty() || text.ends_with('\n')) return {};
  const std::size_t last = text.rfind('\n') + 1;
  const bool is_whole = parse_line(std::string_view(text).substr(last)).ok();
  const bool is_mended =
      is_whole ? ::write(file_, "\n", 1) == 1 : ::ftruncate(file_, static_cast<off_t>(last)) == 0;
  return is_mended ? Status{} : file_failure(path_);
}

ManifestWriter::ManifestWriter(ManifestWriter&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      known_(std::move(other.known_)) {}

ManifestWriter::~ManifestWriter() {
  if (file_ >= 0) ::close(file_);
}

Status ManifestWriter::add(const ManifestLine& line) {
  if (!known_.insert(line).second) return {};
  const std::string text = print_manifest_line(line) + '\n';
  const ssize_t written = ::write(file_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  if (written >= 0) return io_error(path_, ": no space left for the manifest");
  return file_failure(path_);
}

}  // namespace penstock::deliver
