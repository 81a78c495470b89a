// What commands write: "pipe:curl -s http://host/x.tar", and "-" for the standard streams. A stream
// has no ranges, so that it is kept in a temporary file for as long as the storage lives. Each
// command runs once.
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "penstock/storage/child_process.h"
#include "penstock/storage/local_file.h"
#include "penstock/storage/storage.h"
#include "penstock/storage/temporary_file.h"

namespace penstock::storage {
namespace {

constexpr std::string_view kPrefix = "pipe:";
constexpr std::string_view kStandard = "-";

Status write_all(int file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t num_written = ::write(file, bytes.data(), bytes.size());
    if (num_written < 0 && errno == EINTR) continue;
    if (num_written < 0) return file_error(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(num_written));
  }
  return {};
}

std::string command_of(std::string_view path) { return std::string(path.substr(kPrefix.size())); }

class StandardOutput final : public ObjectWriter {
 public:
  Status append(Bytes bytes) override {
    return write_all(STDOUT_FILENO, bytes).at("standard output");
  }
  Status commit() override { return {}; }
};

// The command sees the end of its input with commit(); without one it is ended.
class PipeWriter final : public ObjectWriter {
 public:
  PipeWriter(ChildProcess process, std::string_view path)
      : process_(std::move(process)), path_(path) {}

  Status append(Bytes bytes) override { return write_all(process_.pipe(), bytes).at(path_); }
  Status commit() override { return process_.finish().at(path_); }

 private:
  ChildProcess process_;
  const std::string path_;
};

class PipeStorage final : public Storage {
 public:
  void read(std::span<ReadRequest> requests, const std::stop_token&) const override {
    for (ReadRequest& request : requests) {
      const auto stream = stream_of(request.path);
      request.status = stream.ok() ? (*stream)->read(request.offset, request.out) : stream.status();
    }
  }

  Result<ObjectInfo> stat(std::string_view path) const override {
    const auto stream = stream_of(path);
    if (!stream.ok()) return stream.status().at(path);
    return ObjectInfo{std::string(path), (*stream)->size_bytes()};
  }

  Result<std::vector<ObjectInfo>> list(std::string_view folder) const override {
    return unsupported("a stream has no folders").at(folder);
  }

  Status write(std::string_view path, Bytes bytes) const override {
    PENSTOCK_TRY_ASSIGN(const auto writer, create(path));
    PENSTOCK_TRY(writer->append(bytes));
    return writer->commit();
  }

  Result<std::unique_ptr<ObjectWriter>> create(std::string_view path) const override {
    if (path == kStandard) return std::unique_ptr<ObjectWriter>(new StandardOutput());
    auto process = ChildProcess::start(command_of(path), ChildProcess::Direction::kWrite);
    if (!process.ok()) return process.status().at(path);
    return std::unique_ptr<ObjectWriter>(new PipeWriter(*std::move(process), path));
  }

 private:
  // Runs the command unless that was done before; what it wrote, or why there is nothing.
  Result<const TemporaryFile*> stream_of(std::string_view path) const {
    const std::scoped_lock lock(mutex_);
    auto at = streams_.find(path);
    if (at == streams_.end()) at = streams_.emplace(path, run(path)).first;
    if (!at->second.ok()) return at->second.status();
    return &at->second.value();
  }

  static Result<TemporaryFile> run(std::string_view path) {
    PENSTOCK_TRY_ASSIGN(TemporaryFile file, TemporaryFile::make());
    if (path == kStandard) {
      PENSTOCK_TRY(file.append_all(STDIN_FILENO));
      return file;
    }
    PENSTOCK_TRY_ASSIGN(ChildProcess process,
                        ChildProcess::start(command_of(path), ChildProcess::Direction::kRead));
    PENSTOCK_TRY(file.append_all(process.pipe()));
    PENSTOCK_TRY(process.finish());
    return file;
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, Result<TemporaryFile>, std::less<>> streams_;  // by path
};

}  // namespace

std::unique_ptr<Storage> make_pipe_storage() { return std::make_unique<PipeStorage>(); }

}  // namespace penstock::storage
