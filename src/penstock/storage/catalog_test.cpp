#include "penstock/storage/catalog.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace penstock::storage {
namespace {

std::string make_file(std::string_view name) {
  std::string folder = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").native();
  const std::string path = concat(mkdtemp(folder.data()), '/', name);
  std::ofstream(path) << "0123456789";
  return path;
}

TEST(StorageCatalogTest, NamesTheSchemesItKnows) {
  EXPECT_EQ(make_storage()->stat("gopher://host/x").status(),
            unsupported("gopher://host/x: no storage for gopher://, expected one of: a plain path, "
                        "file://, pipe:command, -, http://, https://, s3://, gs://, ais://"));
}

TEST(StorageCatalogTest, ReadsPlainPathsAndFileUrlsTogether) {
  const std::string path = make_file("digits"), url = concat("file://", path);
  std::array<char, 3> first, second;
  std::array requests = {ReadRequest{path, 0, std::as_writable_bytes(std::span(first)), {}},
                         ReadRequest{url, 7, std::as_writable_bytes(std::span(second)), {}}};
  make_storage()->read(requests);
  EXPECT_EQ(requests[0].status, Status());
  EXPECT_EQ(requests[1].status, Status());
  EXPECT_EQ(std::string(first.data(), 3), "012");
  EXPECT_EQ(std::string(second.data(), 3), "789");
  EXPECT_EQ(requests[1].path, url);
}

TEST(StorageCatalogTest, ListsUrlsAsUrls) {
  const std::string url = concat("file://", make_file("digits"));
  const auto storage = make_storage();
  EXPECT_EQ(storage->stat(url)->path, url);
  const auto objects = storage->list(url.substr(0, url.rfind('/')));
  ASSERT_EQ(objects->size(), 1u);
  EXPECT_EQ(objects->front().path, url);
}

TEST(StorageCatalogTest, TakesAnOddPathForAPath) {
  EXPECT_EQ(make_storage()->stat("odd folder/a://b").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace penstock::storage
