// A shell command at the other end of a pipe.
#pragma once

#include <sys/types.h>

#include <string>

#include "penstock/base/result.h"

namespace penstock::storage {

// Not thread-safe. Ends the command when it is destroyed before finish().
class ChildProcess {
 public:
  enum class Direction : std::uint8_t { kRead, kWrite };  // its output, or its input

  static Result<ChildProcess> start(const std::string& command, Direction direction);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) = delete;
  ~ChildProcess();

  int pipe() const { return pipe_; }
  // Closes the pipe and waits. Fails with kIo unless the command says that all went well.
  Status finish();

 private:
  ChildProcess(pid_t process, int pipe) : process_(process), pipe_(pipe) {}

  pid_t process_;
  int pipe_;
};

}  // namespace penstock::storage
