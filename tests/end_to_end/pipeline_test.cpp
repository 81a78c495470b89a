// Whole pipelines from files to batches, in C++: runs under the sanitizers too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/png/encode.h"
#include "penstock/format/tar_writer.h"
#include "penstock/penstock.h"

namespace penstock {
namespace {

constexpr int kCount = 60;

std::vector<std::byte> make_jpeg(int number) {
  const int width = 40 + number % 7;
  const int height = 30 + number % 5;
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < width * height; ++i) {
    pixels.push_back(static_cast<std::uint8_t>(i + number));
    pixels.push_back(static_cast<std::uint8_t>(i / 7));
    pixels.push_back(static_cast<std::uint8_t>(255 - number));
  }
  const ImageView view{pixels.data(), width, height, 3, static_cast<std::size_t>(3 * width)};
  auto encoded = decode::encode_jpeg(view, {});
  EXPECT_TRUE(encoded.ok());
  return std::move(encoded).value();
}

void write_file(const std::filesystem::path& path, Bytes bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// The same samples as a folder and as four shards, in a folder of its own.
class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            concat("penstock_", testing::UnitTest::GetInstance()->random_seed(), "_",
                   testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
    for (int shard = 0; shard < 4; ++shard) {
      std::vector<std::byte> archive;
      for (int number = shard * kCount / 4; number < (shard + 1) * kCount / 4; ++number) {
        const std::string key = concat(1000 + number);
        const std::vector<std::byte> jpeg = make_jpeg(number);
        const std::string label = concat(number % 3);
        write_file(root_ / "images" / concat("class_", shard) / (key + ".jpg"), jpeg);
        ASSERT_TRUE(format::append_tar_member(archive, key + ".jpg", jpeg).ok());
        const Bytes label_bytes = std::as_bytes(std::span(label));
        ASSERT_TRUE(format::append_tar_member(archive, key + ".cls", label_bytes).ok());
      }
      const std::vector<std::byte> end = format::tar_end();
      archive.insert(archive.end(), end.begin(), end.end());
      write_file(root_ / "shards" / concat(shard, ".tar"), archive);
    }
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  Pipeline folder_pipeline() const {
    return folder(root_ / "images")
        .shuffle({}, 5)
        .image("image", RandomResizedCrop{16}, RandomFlip{}, ColorJitter{.brightness = 0.2},
               Normalize{})
        .label("label")
        .batch(8, "keep");
  }
  Pipeline tar_pipeline() const {
    return tar({(root_ / "shards/*.tar").string()})
        .shuffle({.window = "global"}, 5)
        .image("jpg", RandomResizedCrop{16}, RandomFlip{}, ColorJitter{.brightness = 0.2},
               Normalize{})
        .label("cls")
        .batch(8, "keep");
  }

  std::filesystem::path root_;
};

// The pixels of all batches, one after the other.
std::string pixels_of(const Pipeline& pipeline, const RunOptions& options) {
  const auto run = pipeline.run(options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  std::string all;
  while (run.ok()) {
    const auto batch = (*run)->next();
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || *batch == nullptr) break;
    const Bytes array = (*batch)->array(0);
    all.append(reinterpret_cast<const char*>(array.data()), array.size());
  }
  return all;
}

TEST_F(PipelineTest, FolderAndShardsGiveTheSamePixelsOnAnyNumberOfThreads) {
  const std::string expected = pixels_of(folder_pipeline(), {.threads = 1, .prefetch = 0});
  EXPECT_EQ(expected.size(), std::size_t{kCount} * 3 * 16 * 16 * 4);
  for (const int threads : {2, 3, 8}) {
    EXPECT_EQ(pixels_of(folder_pipeline(), {.threads = threads}), expected);
    EXPECT_EQ(pixels_of(tar_pipeline(), {.threads = threads}), expected);
  }
}

TEST_F(PipelineTest, CachesChangeNoPixel) {
  const std::string expected = pixels_of(tar_pipeline(), {.threads = 1});
  const Pipeline cached = tar_pipeline()
                              .cache({.folder = root_ / "cache", .size = "1MiB"})
                              .memory_cache({.size = "64KiB"})
                              .epochs(2);
  const auto run = cached.run({.threads = 2});
  ASSERT_TRUE(run.ok()) << run.status().message();
  while (*(*run)->next() != nullptr) {
  }
  EXPECT_GT((*run)->stats().memory_cache->hit_bytes, 0u);
  RunOptions goes_on;
  goes_on.sample_cache = (*run)->sample_cache();
  EXPECT_EQ(pixels_of(cached.epochs(1), goes_on), expected);
}

TEST_F(PipelineTest, ResumesAfterAnyBatch) {
  const std::string all = pixels_of(tar_pipeline(), {.threads = 2});
  const auto run = tar_pipeline().run({.threads = 2, .prefetch = 3});
  ASSERT_TRUE(run.ok());
  std::size_t num_bytes = 0;
  while (true) {
    const auto batch = *(*run)->next();
    num_bytes += batch->array(0).size();
    if (batch->end_position == kCount) break;
    const auto resumed = tar_pipeline().resume((*run)->state(), {.threads = 3});
    ASSERT_TRUE(resumed.ok()) << resumed.status().message();
    const auto next = *(*resumed)->next();
    const Bytes pixels = next->array(0);
    EXPECT_EQ(all.compare(num_bytes, pixels.size(), reinterpret_cast<const char*>(pixels.data()),
                          pixels.size()),
              0);
  }
  EXPECT_EQ(num_bytes, all.size());
}

TEST_F(PipelineTest, RefusesTheStateOfAnotherPipeline) {
  const auto run = tar_pipeline().run({.threads = 1});
  const auto other = tar_pipeline().take(9).resume((*run)->state());
  EXPECT_EQ(other.status().message(), "the state is of another pipeline: take is 9, was not there");
}

TEST_F(PipelineTest, StopsFromAnyState) {
  const Pipeline endless = tar_pipeline().epochs(std::nullopt);
  for (int batches_taken = 0; batches_taken < 20; ++batches_taken) {
    const auto run = endless.run({.threads = 3, .prefetch = 1});
    ASSERT_TRUE(run.ok()) << run.status().message();
    for (int i = 0; i < batches_taken; ++i) ASSERT_TRUE((*run)->next().ok());
  }
}

TEST_F(PipelineTest, ABadFileFailsItsBatchWithTheSameMessageOnAnyNumberOfThreads) {
  const std::vector<std::byte> jpeg = make_jpeg(0);
  for (const char* name : {"class_1/1017.jpg", "class_2/1033.jpg"}) {
    write_file(root_ / "images" / name, Bytes(jpeg).first(jpeg.size() / 2));
  }
  std::string first_message;
  for (const int threads : {1, 2, 8}) {
    const auto run = folder_pipeline().run({.threads = threads});
    ASSERT_TRUE(run.ok());
    auto batch = (*run)->next();
    while (batch.ok() && *batch != nullptr) batch = (*run)->next();
    ASSERT_EQ(batch.status().code(), Code::kCorrupt);
    if (first_message.empty()) first_message = batch.status().message();
    EXPECT_EQ(batch.status().message(), first_message);
  }
  EXPECT_NE(first_message.find(".jpg: image: jpeg: truncated"), std::string::npos) << first_message;
}

// The samples of every batch.
std::vector<std::vector<std::uint64_t>> samples_of(const Pipeline& pipeline,
                                                   const RunOptions& options) {
  const auto run = pipeline.run(options);
  EXPECT_TRUE(run.ok()) << run.status().message();
  std::vector<std::vector<std::uint64_t>> all;
  while (run.ok()) {
    const auto batch = (*run)->next();
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || *batch == nullptr) break;
    const auto begin = (*batch)->samples.begin();
    all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>((*batch)->count));
  }
  return all;
}

TEST_F(PipelineTest, BadSamplesAreLeftOutTheSameOnAnyNumberOfThreads) {
  for (const char* name : {"class_1/1017.jpg", "class_2/1033.jpg", "class_2/1034.jpg"}) {
    write_file(root_ / "images" / name, std::as_bytes(std::span("no image")));
  }
  deliver::ErrorOptions skip{.on_error = deliver::OnError::kSkip, .manifest = root_ / "bad.jsonl"};
  const auto expected = samples_of(folder_pipeline(), {.threads = 1, .errors = skip});
  std::vector<std::uint64_t> all;
  for (const auto& batch : expected) all.insert(all.end(), batch.begin(), batch.end());
  std::ranges::sort(all);
  EXPECT_EQ(all.size(), std::size_t{kCount - 3});
  EXPECT_EQ(std::ranges::unique(all).size(), 0u);
  EXPECT_FALSE(std::ranges::binary_search(all, 17u));
  EXPECT_EQ(deliver::read_manifest(root_ / "bad.jsonl")->size(), 3u);
  EXPECT_EQ(samples_of(folder_pipeline(), {.threads = 8, .errors = skip}), expected);
}

TEST_F(PipelineTest, BadSamplesAreReplacedTheSameOnAnyNumberOfThreads) {
  for (const char* name : {"class_1/1017.jpg", "class_2/1033.jpg", "class_2/1034.jpg"}) {
    write_file(root_ / "images" / name, std::as_bytes(std::span("no image")));
  }
  const deliver::ErrorOptions replace{.on_error = deliver::OnError::kReplace};
  const std::string expected = pixels_of(folder_pipeline(), {.threads = 1, .errors = replace});
  EXPECT_EQ(expected.size(), std::size_t{kCount} * 3 * 16 * 16 * 4);
  EXPECT_EQ(pixels_of(folder_pipeline(), {.threads = 8, .errors = replace}), expected);
}

TEST_F(PipelineTest, ImagesThatNeedMoreThanAThreadHasAreDecodedOneAtATime) {
  std::vector<std::uint8_t> pixels(std::size_t{2000} * 1500 * 3, 77);
  const ImageView view{pixels.data(), 2000, 1500, 3, std::size_t{3} * 2000};
  // A PNG, because a JPEG that shrinks so much is decoded at an eighth of its size.
  const std::vector<std::byte> large = decode::encode_png(view).value();
  for (int number = 0; number < kCount; ++number) {
    const std::string name = concat("class_", number / 15, "/", 1000 + number, ".jpg");
    if (number % 7 == 0) write_file(root_ / "images" / name, large);
  }
  const std::string roomy = pixels_of(folder_pipeline(), {.threads = 8});
  EXPECT_EQ(roomy.size(), std::size_t{kCount} * 3 * 16 * 16 * 4);
  EXPECT_EQ(pixels_of(folder_pipeline(), {.threads = 8, .memory_bytes = 96 << 20}), roomy);
}

TEST_F(PipelineTest, AnImageThatFitsNowhereIsNamed) {
  std::vector<std::uint8_t> pixels(std::size_t{4000} * 3000 * 3, 77);
  const ImageView view{pixels.data(), 4000, 3000, 3, std::size_t{3} * 4000};
  write_file(root_ / "images/class_0/1003.jpg", decode::encode_jpeg(view, {}).value());
  const auto run = folder(root_ / "images")
                       .image("image", Resize{{2800, 3900}})
                       .take(5)
                       .batch(1)
                       .run({.threads = 1, .memory_bytes = 100 << 20});
  ASSERT_TRUE(run.ok()) << run.status().message();
  auto batch = (*run)->next();
  while (batch.ok() && *batch != nullptr) batch = (*run)->next();
  EXPECT_EQ(batch.status().code(), Code::kResourceExhausted);
  EXPECT_NE(batch.status().message().find("class_0/1003.jpg: image: jpeg: an image of 4000x3000 "
                                          "needs 70.4 MiB to be decoded, expected at most "),
            std::string::npos)
      << batch.status().message();
}

TEST_F(PipelineTest, AFileThatIsGoneIsNamed) {
  const auto run = folder_pipeline().epochs(std::nullopt).run({.threads = 2});
  ASSERT_TRUE(run.ok());
  std::filesystem::remove(root_ / "images/class_0/1003.jpg");
  auto batch = (*run)->next();
  while (batch.ok()) batch = (*run)->next();
  EXPECT_EQ(batch.status().code(), Code::kNotFound);
  EXPECT_NE(batch.status().message().find("class_0/1003.jpg: image: no such file"),
            std::string::npos)
      << batch.status().message();
}

// Of one epoch, in the order delivered.
std::vector<std::int64_t> labels_of(const Pipeline& pipeline) {
  std::vector<std::int64_t> labels;
  const auto run = pipeline.run({.threads = 2});
  EXPECT_TRUE(run.ok()) << run.status().message();
  if (!run.ok()) return labels;
  auto batch = (*run)->next();
  for (; batch.ok() && *batch != nullptr; batch = (*run)->next()) {
    std::vector<std::int64_t> rows((*batch)->count);
    std::memcpy(rows.data(), (*batch)->array(0).data(), rows.size() * sizeof rows[0]);
    labels.insert(labels.end(), rows.begin(), rows.end());
  }
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  return labels;
}

TEST_F(PipelineTest, CombinedSourcesFollowEachOther) {
  const auto shard = [&](const char* name) { return tar({(root_ / "shards" / name).native()}); };
  const Pipeline both = concat({shard("1.tar"), shard("0.tar").filter({.key = "100[0-4]"})});
  const std::vector<std::int64_t> labels = labels_of(both.label("cls").batch(20));
  ASSERT_EQ(labels.size(), 20u);
  EXPECT_EQ(labels[14], 29 % 3);
  EXPECT_EQ(labels[15], 0);
  EXPECT_EQ(labels[19], 4 % 3);
}

TEST_F(PipelineTest, CombiningNamesASourceThatIsNotAlone) {
  const Pipeline numbers = synthetic(10);
  EXPECT_EQ(zip({numbers, numbers.label("label")}).batch(1).run().status().message(),
            "zip: source 1 already has fields, a shuffle or a batch, expected a source alone");
}

TEST(MixTest, IsASourceWithWeights) {
  const Pipeline mixed = mix({{synthetic(10), 0.75}, {synthetic(20), 0.25}});
  EXPECT_EQ(mixed.spec().source.kind, "mix");
  EXPECT_EQ(mixed.spec().source.sources.size(), 2u);
  EXPECT_EQ(mixed.spec().source.options, (std::vector<Option>{{"weights", "0.75,0.25"}}));
}

}  // namespace
}  // namespace penstock
