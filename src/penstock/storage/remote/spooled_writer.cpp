// A file without a name, mapped when it is sent.
#include "penstock/storage/remote/spooled_writer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "penstock/storage/local_file.h"

namespace penstock::storage {
namespace {

class SpooledWriter final : public ObjectWriter {
 public:
  SpooledWriter(int file, std::function<Status(Bytes)> send)
      : file_(file), send_(std::move(send)) {}
  ~SpooledWriter() override { close(file_); }

  Status append(Bytes bytes) override {
    while (!bytes.empty()) {
      const ssize_t num_written = ::write(file_, bytes.data(), bytes.size());
      if (num_written < 0 && errno == EINTR) continue;
      if (num_written < 0) return file_error(errno).at("temporary file");
      bytes = bytes.subspan(static_cast<std::size_t>(num_written));
      size_bytes_ += static_cast<std::size_t>(num_written);
    }
    return {};
  }

  Status commit() override {
    if (size_bytes_ == 0) return send_({});
    void* mapped = mmap(nullptr, size_bytes_, PROT_READ, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) return file_error(errno).at("temporary file");
    Status status = send_({static_cast<const std::byte*>(mapped), size_bytes_});
    munmap(mapped, size_bytes_);
    return status;
  }

 private:
  const int file_;
  const std::function<Status(Bytes)> send_;
  std::size_t size_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<ObjectWriter>> make_spooled_writer(std::function<Status(Bytes)> send) {
  const char* folder = std::getenv("TMPDIR");
  const int file = open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return file_error(errno).at("temporary file");
  return std::unique_ptr<ObjectWriter>(std::make_unique<SpooledWriter>(file, std::move(send)));
}

}  // namespace penstock::storage
