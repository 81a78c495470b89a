// Walks a tree of folders, one listing each.
#include "penstock/source/folder_index.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>
#include <vector>

#include "penstock/source/path.h"

namespace penstock::source {
namespace {

constexpr std::array<std::string_view, 9> kImageEndings = {"jpg",  "jpeg", "png", "webp", "tif",
                                                           "tiff", "bmp",  "gif", "ppm"};
constexpr int kMaxDepth = 32;  // links may form a loop
constexpr std::size_t kFilesPerReport = 1000;

class FolderWalk {
 public:
  FolderWalk(const storage::Storage& storage, std::string_view root, const ProgressFn& progress)
      : storage_(storage), root_(root), progress_(progress) {}

  // In path order everything below a folder `a` stands where `a/` does: behind a file `a-b`.
  Status add_folder(std::string_view path, int depth) {
    if (depth > kMaxDepth) {
      return unsupported(path, ": more than ", kMaxDepth,
                         " folders deep, which may be a loop of links");
    }
    PENSTOCK_TRY_ASSIGN(storage::FolderListing listing, storage_.list_folder(path));
    const auto folder = static_cast<std::uint32_t>(index_.folders.size());
    index_.folders.push_back(relative(path));
    index_.folder_times.push_back(listing.modified_ns);

    for (std::string& inner : listing.folders) inner += '/';
    std::ranges::sort(listing.folders);
    auto inner = listing.folders.begin();
    for (const storage::ObjectInfo& object : listing.objects) {
      for (; inner != listing.folders.end() && *inner < object.path; ++inner) {
        PENSTOCK_TRY(add_inner(*inner, depth));
      }
      PENSTOCK_TRY(add_object(folder, object));
    }
    for (; inner != listing.folders.end(); ++inner) PENSTOCK_TRY(add_inner(*inner, depth));
    return {};
  }

  FolderIndex take_index() && {
    report();
    return std::move(index_);
  }

 private:
  std::string_view relative(std::string_view path) const {
    const std::size_t prefix = root_.size() + (root_.ends_with('/') ? 0 : 1);
    return path.size() <= prefix ? std::string_view{} : path.substr(prefix);
  }

  Status add_inner(std::string_view path_and_slash, int depth) {
    const std::string_view path = path_and_slash.substr(0, path_and_slash.size() - 1);
    if (base_name(path).starts_with('.')) return {};
    return add_folder(path, depth + 1);
  }

  Status add_object(std::uint32_t folder, const storage::ObjectInfo& object) {
    if (++num_files_ % kFilesPerReport == 0) report();
    const std::string_view name = base_name(object.path);
    if (!is_image_name(name)) return {};
    if (index_.names.size() == std::numeric_limits<std::uint32_t>::max()) {
      return unsupported(root_, ": more images than 32 bits can number");
    }
    if (index_.run_folders.empty() || index_.run_folders.back() != folder) {
      index_.run_folders.push_back(folder);
      index_.run_lengths.push_back(0);
    }
    ++index_.run_lengths.back();
    index_.names.push_back(name);
    index_.sizes_bytes.push_back(object.size_bytes);
    return {};
  }

  void report() const {
    if (progress_) progress_({.what = root_, .done = num_files_});
  }

  const storage::Storage& storage_;
  std::string_view root_;
  const ProgressFn& progress_;
  FolderIndex index_;
  std::uint64_t num_files_ = 0;
};

}  // namespace

std::string image_endings() {
  std::string text;
  for (const std::string_view ending : kImageEndings)
    text += concat(text.empty() ? "." : ", .", ending);
  return text;
}

bool is_image_name(std::string_view name) {
  if (name.starts_with('.')) return false;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const auto is_same = [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::any_of(kImageEndings, [&](std::string_view ending) {
    return std::ranges::equal(ending, name.substr(dot + 1), is_same);
  });
}

Result<FolderIndex> index_folder(const storage::Storage& storage, std::string_view root,
                                 const ProgressFn& progress) {
  FolderWalk walk(storage, root, progress);
  PENSTOCK_TRY(walk.add_folder(root, 0));
  return std::move(walk).take_index();
}

bool is_current(const FolderIndex& index, const storage::Storage& storage, std::string_view root) {
  for (std::size_t i = 0; i < index.folders.size(); ++i) {
    const auto time = storage.folder_modified_ns(join_path(root, index.folders[i]));
    if (!time.ok() || *time != index.folder_times[i]) return false;
  }
  return true;
}

}  // namespace penstock::source
