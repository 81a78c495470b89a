// Writes a file under a temporary name, then renames it.
#include "penstock/storage/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace penstock::storage {
namespace {

Status error_text(std::string_view what, int error) {
  return io_error(what, ": ", std::generic_category().message(error));
}

class FileWriter final : public ObjectWriter {
 public:
  FileWriter(int fd, std::string temporary_path, std::string path)
      : fd_(fd), temporary_path_(std::move(temporary_path)), path_(std::move(path)) {}
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  ~FileWriter() override {
    if (fd_ < 0) return;
    close(fd_);
    unlink(temporary_path_.c_str());
  }

  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return error_text(path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  // Synced before the rename, so that a file under the final name is whole after a power cut too.
  Status commit() override {
    if (fchmod(fd_, 0644) != 0 || fsync(fd_) != 0) return error_text(path_, errno);
    if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return error_text(path_, errno);
    close(std::exchange(fd_, -1));
    return {};
  }

 private:
  int fd_;
  std::string temporary_path_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<ObjectWriter>> make_file_writer(std::string_view path) {
  const std::filesystem::path target{std::string(path)};
  std::error_code error;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
  if (error) return error_text(target.parent_path().native(), error.value());

  const std::string hidden = concat(".", target.filename().native(), ".XXXXXX");
  std::string temporary_path = (target.parent_path() / hidden).native();
  const int fd = mkostemp(temporary_path.data(), O_CLOEXEC);
  if (fd < 0) return error_text(path, errno);
  return std::unique_ptr<ObjectWriter>(
      std::make_unique<FileWriter>(fd, std::move(temporary_path), target.native()));
}

}  // namespace penstock::storage
