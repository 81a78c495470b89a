// A temporary file, mapped when it is sent.
#include "penstock/storage/remote/spooled_writer.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "penstock/storage/local_file.h"
#include "penstock/storage/temporary_file.h"

namespace penstock::storage {
namespace {

class SpooledWriter final : public ObjectWriter {
 public:
  SpooledWriter(TemporaryFile file, std::function<Status(Bytes)> send)
      : file_(std::move(file)), send_(std::move(send)) {}

  Status append(Bytes bytes) override { return file_.append(bytes); }

  Status commit() override {
    const std::size_t size = file_.size_bytes();
    if (size == 0) return send_({});
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file_.number(), 0);
    if (mapped == MAP_FAILED) return file_error(errno).at("temporary file");
    Status status = send_({static_cast<const std::byte*>(mapped), size});
    munmap(mapped, size);
    return status;
  }

 private:
  TemporaryFile file_;
  const std::function<Status(Bytes)> send_;
};

}  // namespace

Result<std::unique_ptr<ObjectWriter>> make_spooled_writer(std::function<Status(Bytes)> send) {
  PENSTOCK_TRY_ASSIGN(TemporaryFile file, TemporaryFile::make());
  return std::unique_ptr<ObjectWriter>(
      std::make_unique<SpooledWriter>(std::move(file), std::move(send)));
}

}  // namespace penstock::storage
