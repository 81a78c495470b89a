// A folder that is gone when the command ends, also if somebody ends it.
#pragma once

#include <string>

#include "penstock/base/result.h"

namespace penstock::cli {

// While one exists, SIGINT, SIGTERM and SIGHUP do not end the process, but are told by
// check_interrupted(). One at a time.
class TemporaryFolder {
 public:
  // In $TMPDIR or /tmp.
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);

  std::string path_;  // empty: moved away
};

// kCancelled once a signal came.
Status check_interrupted();

}  // namespace penstock::cli
