// posix_spawn() of a shell.
#include "penstock/storage/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "penstock/storage/local_file.h"

extern char** environ;

namespace penstock::storage {

Result<ChildProcess> ChildProcess::start(const std::string& command, Direction direction) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return file_error(errno);
  const bool reads = direction == Direction::kRead;
  const int ours = reads ? ends[0] : ends[1], theirs = reads ? ends[1] : ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
  std::string shell = "sh", option = "-c", text = command;
  const std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
  pid_t process = 0;
  const int error = posix_spawn(&process, "/bin/sh", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(theirs);
  if (error != 0) {
    close(ours);
    return file_error(error);
  }
  return ChildProcess(process, ours);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, 0)), pipe_(std::exchange(other.pipe_, -1)) {}

ChildProcess::~ChildProcess() {
  if (pipe_ >= 0) close(pipe_);
  if (process_ == 0) return;
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Status ChildProcess::finish() {
  close(std::exchange(pipe_, -1));
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(process_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  process_ = 0;
  if (ended < 0) return file_error(errno);
  if (WIFSIGNALED(status)) return io_error("the command was ended by signal ", WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return {};
  return io_error("the command ended with exit code ", WEXITSTATUS(status), ", expected 0");
}

}  // namespace penstock::storage
