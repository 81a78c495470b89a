// What the tests of this layer share. Included by tests only.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/format/tar_writer.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// A folder of the local file system that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string path(std::string_view name) const { return concat(path_, '/', name); }

  void write(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  std::string read(std::string_view name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

// Counts what reaches another storage, and refuses to write where it is told to.
class CountingStorage final : public storage::Storage {
 public:
  explicit CountingStorage(std::unique_ptr<storage::Storage> inner) : inner_(std::move(inner)) {}

  void read(std::span<storage::ReadRequest> requests, const std::stop_token&) const override {
    num_reads += static_cast<int>(requests.size());
    for (const storage::ReadRequest& request : requests) num_bytes_read += request.out.size();
    inner_->read(requests);
  }
  Result<storage::ObjectInfo> stat(std::string_view path) const override {
    return inner_->stat(path);
  }
  Result<std::vector<storage::ObjectInfo>> list(std::string_view folder) const override {
    ++num_listings;
    return inner_->list(folder);
  }
  Result<storage::FolderListing> list_folder(std::string_view folder) const override {
    ++num_listings;
    return inner_->list_folder(folder);
  }
  Result<std::int64_t> folder_modified_ns(std::string_view folder) const override {
    return inner_->folder_modified_ns(folder);
  }
  Status write(std::string_view path, Bytes bytes) const override {
    if (!read_only.empty() && path.starts_with(read_only)) return io_error("permission denied");
    return inner_->write(path, bytes);
  }
  Result<std::unique_ptr<storage::ObjectWriter>> create(std::string_view path) const override {
    if (!read_only.empty() && path.starts_with(read_only)) return io_error("permission denied");
    return inner_->create(path);
  }
  Status remove(std::string_view path) const override { return inner_->remove(path); }

  std::string read_only;  // paths that begin so cannot be written
  mutable std::atomic<int> num_reads = 0;
  mutable std::atomic<int> num_listings = 0;
  mutable std::atomic<std::uint64_t> num_bytes_read = 0;

 private:
  std::unique_ptr<storage::Storage> inner_;
};

using Member = std::pair<std::string, std::string>;

inline std::string tar_of(const std::vector<Member>& members) {
  std::vector<std::byte> archive;
  for (const auto& [name, content] : members) {
    EXPECT_TRUE(format::append_tar_member(archive, name, std::as_bytes(std::span(content))).ok());
  }
  const std::vector<std::byte> end = format::tar_end();
  archive.insert(archive.end(), end.begin(), end.end());
  return {reinterpret_cast<const char*>(archive.data()), archive.size()};
}

}  // namespace penstock::source
