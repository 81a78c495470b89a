// A file without a name: it is gone when it is closed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::storage {

// In $TMPDIR or /tmp.
class TemporaryFile {
 public:
  static Result<TemporaryFile> make();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  Status append(Bytes bytes);
  // Everything that `pipe` gives, to its end.
  Status append_all(int pipe);
  // Fails with kCorrupt if the file ends before. Safe from any thread.
  Status read(std::uint64_t offset, MutableBytes out) const;
  std::uint64_t size_bytes() const { return size_bytes_; }
  int number() const { return number_; }

 private:
  explicit TemporaryFile(int number) : number_(number) {}

  int number_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace penstock::storage
