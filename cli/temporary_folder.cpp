// A folder that is gone when the command ends.
#include "temporary_folder.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "penstock/storage/local_file.h"

namespace penstock::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_interrupted = 0;

extern "C" void note_signal(int) { g_interrupted = 1; }

void set_handlers(void (*handler)(int)) {
  for (const int number : kSignals) std::signal(number, handler);
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error) / "penstock-ladder-XXXXXX";
  if (error) return io_error("no folder for temporary files: ", error.message());
  if (::mkdtemp(path.data()) == nullptr) return storage::file_error(errno).at(path);
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {
  set_handlers(&note_signal);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  set_handlers(SIG_DFL);
}

Status check_interrupted() { return g_interrupted == 0 ? Status{} : cancelled("interrupted"); }

}  // namespace penstock::cli
