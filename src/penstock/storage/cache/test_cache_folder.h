// A folder of its own for the cache of a test.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace penstock::storage {

// Gone at the end.
class TestCacheFolder {
 public:
  TestCacheFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    root_ = mkdtemp(name.data());
  }
  TestCacheFolder(const TestCacheFolder&) = delete;
  TestCacheFolder& operator=(const TestCacheFolder&) = delete;
  ~TestCacheFolder() { std::filesystem::remove_all(root_); }

  const std::string& root() const { return root_; }

  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ + '/' + folder)) {
      if (entry.is_regular_file()) paths.push_back(entry.path().native());
    }
    return paths;
  }

  std::uint64_t block_bytes() const {
    std::uint64_t sum = 0;
    for (const std::string& path : files("blocks")) sum += std::filesystem::file_size(path);
    return sum;
  }

  // Turns over the bits of one byte.
  static void damage(const std::string& path, std::uint64_t at) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(~file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }

 private:
  std::string root_;
};

}  // namespace penstock::storage
