#include "penstock/source/tfrecord_file.h"

#include <gtest/gtest.h>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

std::vector<format::FeatureInput> number(std::int64_t value) {
  return {{"number", std::vector<std::int64_t>{value}}};
}

class TfrecordFileTest : public testing::TestWithParam<format::Compression> {};

INSTANTIATE_TEST_SUITE_P(Compressions, TfrecordFileTest,
                         testing::Values(format::Compression::kNone, format::Compression::kGzip,
                                         format::Compression::kZlib),
                         [](const auto& method) {
                           return std::string(format::compression_name(method.param));
                         });

TEST_P(TfrecordFileTest, IsReadAsWritten) {
  const TemporaryFolder folder;
  const auto storage = storage::make_local_storage();
  auto file = TfrecordFile::create(*storage, folder.path("a.tfrecord"), GetParam());
  ASSERT_TRUE(file.ok()) << file.status().message();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(file->write(number(i)), Status{});
  ASSERT_EQ(file->commit(), Status{});
  const auto source = make_tfrecord_source(
      *storage, {.urls = {folder.path("a.tfrecord")}, .cache_folder = folder.path("cache")});
  ASSERT_TRUE(source.ok()) << source.status().message();
  EXPECT_EQ((*source)->num_samples(), 1000u);
  EXPECT_TRUE((*source)->damages().empty());
}

TEST(TfrecordFileCommitTest, LeavesNothingWithoutACommit) {
  const TemporaryFolder folder;
  const auto storage = storage::make_local_storage();
  {
    auto file =
        TfrecordFile::create(*storage, folder.path("a.tfrecord"), format::Compression::kNone);
    ASSERT_TRUE(file.ok());
    ASSERT_EQ(file->write(number(1)), Status{});
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace penstock::source
