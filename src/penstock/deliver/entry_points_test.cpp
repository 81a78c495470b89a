// Entry points on their way: which images have them, how they come with the bytes of a group, and
// what a run makes of them.
#include "penstock/deliver/entry_points.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/deliver/reader.h"
#include "penstock/deliver/run.h"
#include "penstock/format/example_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/source/testing.h"

namespace penstock::deliver {
namespace {

using source::TemporaryFolder;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string jpeg_text(int side) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side * side * 3), 9);
  const ImageView view{pixels.data(), side, side, 3, static_cast<std::size_t>(3 * side)};
  const auto jpeg = decode::encode_jpeg(view, {});
  EXPECT_TRUE(jpeg.ok());
  return text_of(*jpeg);
}

// Of records with the features `photo` and `depth`, of which the second has no photo.
std::string records_text() {
  std::vector<std::byte> shard;
  const std::vector<std::vector<format::FeatureInput>> records = {
      {{"photo", std::vector<Bytes>{bytes_of("p0")}},
       {"depth", std::vector<Bytes>{bytes_of("d0")}}},
      {{"depth", std::vector<Bytes>{bytes_of("d1")}}}};
  for (const auto& record : records) {
    const auto example = format::encode_example(record);
    EXPECT_TRUE(example.ok());
    format::append_tfrecord(shard, bytes_of(*example));
  }
  return text_of(shard);
}

// Images of 16 x 16 in the fields named.
std::shared_ptr<const pipeline::Plan> plan_of(pipeline::SourceSpec source,
                                              const std::vector<std::string>& images) {
  pipeline::Spec spec;
  spec.source = std::move(source);
  for (const std::string& name : images) {
    spec.fields.push_back({name, {"image", {}}, {{"resize", {{"size", "16,16"}}}}});
  }
  auto plan = pipeline::make_plan(spec, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::shared_ptr<const pipeline::Plan>(std::move(plan).value());
}

std::unique_ptr<EntryPoints> open_points(const pipeline::Plan& plan,
                                         EntryPointUse use = EntryPointUse::kLearn) {
  auto points = EntryPoints::open(plan, use);
  if (points != nullptr) points->store().load(std::uint64_t{32} << 20);
  return points;
}

// The stretch of samples 0, 1, ..., read.
std::unique_ptr<Stretch> read_samples(const ReadFrom& from, std::uint64_t count,
                                      std::size_t limit = kNoLimit) {
  auto loaded = std::make_unique<Stretch>();
  for (std::uint64_t i = 0; i < count; ++i) loaded->picks.push_back({.sample = i});
  ThreadCounters counters;
  read_stretch(from, *loaded, limit, counters);
  return loaded;
}

class EntryPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("pets/cat/1.jpg", "first");
    folder_.write("pets/dog/1.jpg", "second");
    folder_.write("a.tar", source::tar_of({{"x.jpg", "xx"}, {"x.png", "yyy"}, {"x.cls", "1"}}));
    folder_.write("a.tfrecord", records_text());
  }

  std::shared_ptr<const pipeline::Plan> pets() const {
    return plan_of({"folder", {folder_.path("pets")}, {}, {}}, {"image"});
  }

  TemporaryFolder folder_;
};

TEST_F(EntryPointsTest, ComeWithTheImageTheyWereLearntOf) {
  const auto plan = pets();
  const auto points = open_points(*plan);
  ASSERT_NE(points, nullptr);
  const auto before = read_samples({*plan, points.get()}, 2);
  EXPECT_TRUE(before->pieces[1].entry_points.empty());
  ASSERT_TRUE(before->pieces[1].entry_point_key.has_value());
  points->store().learn(*before->pieces[1].entry_point_key, bytes_of("of the dog"));
  points->store().flush();

  const auto after = read_samples({*plan, points.get()}, 2);
  EXPECT_EQ(text_of(after->pieces[0].bytes), "first");
  EXPECT_EQ(text_of(after->pieces[1].bytes), "second");
  EXPECT_TRUE(after->pieces[0].entry_points.empty());
  EXPECT_EQ(text_of(after->pieces[1].entry_points), "of the dog");
  EXPECT_EQ(points->store().stats().found, 1u);
  EXPECT_TRUE(std::filesystem::exists(folder_.path(".penstock/pets.entry-points")));
}

TEST_F(EntryPointsTest, AreFoundAfterTheDataWasMoved) {
  {
    const auto plan = pets();
    const auto points = open_points(*plan);
    const auto loaded = read_samples({*plan, points.get()}, 1);
    points->store().learn(*loaded->pieces[0].entry_point_key, bytes_of("of the cat"));
  }
  std::filesystem::create_directory(folder_.path("new"));
  for (const char* name : {"pets", ".penstock"}) {
    std::filesystem::rename(folder_.path(name), folder_.path(concat("new/", name)));
  }
  const auto plan = plan_of({"folder", {folder_.path("new/pets")}, {}, {}}, {"image"});
  const auto points = open_points(*plan, EntryPointUse::kUse);
  EXPECT_EQ(text_of(read_samples({*plan, points.get()}, 1)->pieces[0].entry_points), "of the cat");
}

TEST_F(EntryPointsTest, OfOneSampleAreKeptApartByPiece) {
  const auto plan = plan_of({"tar", {folder_.path("a.tar")}, {}, {}}, {"jpg", "png"});
  const auto points = open_points(*plan);
  const auto loaded = read_samples({*plan, points.get()}, 1);
  points->store().learn(*loaded->pieces[0].entry_point_key, bytes_of("jpg's"));
  points->store().learn(*loaded->pieces[1].entry_point_key, bytes_of("png's"));
  points->store().flush();
  const auto other = plan_of({"tar", {folder_.path("a.tar")}, {}, {}}, {"webp;png"});
  const auto again = read_samples({*other, points.get()}, 1);
  EXPECT_EQ(text_of(again->pieces[0].entry_points), "png's");
}

TEST_F(EntryPointsTest, OfOneRecordAreKeptApartByFeature) {
  const pipeline::SourceSpec shard{"tfrecord", {folder_.path("a.tfrecord")}, {}, {}};
  const auto plan = plan_of(shard, {"photo", "depth"});
  const auto points = open_points(*plan);
  const auto loaded = read_samples({*plan, points.get()}, 2);
  points->store().learn(*loaded->pieces[0].entry_point_key, bytes_of("photo 0"));
  points->store().learn(*loaded->pieces[1].entry_point_key, bytes_of("depth 0"));
  points->store().learn(*loaded->pieces[3].entry_point_key, bytes_of("depth 1"));
  points->store().flush();
  const auto either = plan_of(shard, {"photo;depth"});
  const auto again = read_samples({*either, points.get()}, 2);
  EXPECT_EQ(text_of(again->pieces[0].entry_points), "photo 0");
  EXPECT_EQ(text_of(again->pieces[1].entry_points), "depth 1");
}

TEST_F(EntryPointsTest, ThatAreDamagedAreAsIfThereWereNone) {
  const auto plan = pets();
  const auto points = open_points(*plan);
  const auto loaded = read_samples({*plan, points.get()}, 2);
  for (const int i : {0, 1}) {
    points->store().learn(*loaded->pieces[static_cast<std::size_t>(i)].entry_point_key,
                          bytes_of(i == 0 ? "zero" : "one"));
  }
  points->store().flush();
  const std::filesystem::path part =
      std::filesystem::directory_iterator(folder_.path(".penstock/pets.entry-points"))->path();
  std::string content = folder_.read(std::filesystem::relative(part, folder_.path()).native());
  content.back() = '?';
  folder_.write(std::filesystem::relative(part, folder_.path()).native(), content);
  const auto damaged = read_samples({*plan, points.get()}, 2);
  EXPECT_EQ(text_of(damaged->pieces[0].entry_points), "zero");
  EXPECT_TRUE(damaged->pieces[1].entry_points.empty());
  EXPECT_EQ(damaged->pieces[1].status, Status());
  std::filesystem::remove(part);
  const auto gone = read_samples({*plan, points.get()}, 2);
  EXPECT_TRUE(gone->pieces[0].entry_points.empty());
  EXPECT_EQ(text_of(gone->pieces[0].bytes), "first");
  EXPECT_EQ(points->store().find(gone->pieces[0].entry_point_key->hash), std::nullopt);
}

TEST_F(EntryPointsTest, AreLeftOutIfTheGroupHasNoRoomForThem) {
  const auto plan = pets();
  const auto points = open_points(*plan);
  const auto loaded = read_samples({*plan, points.get()}, 2);
  points->store().learn(*loaded->pieces[0].entry_point_key, bytes_of("zero"));
  points->store().flush();
  const std::size_t images = std::string_view("first").size() + std::string_view("second").size();
  const auto tight = read_samples({*plan, points.get()}, 2, images + 7);
  EXPECT_FALSE(tight->is_deferred(1));
  EXPECT_TRUE(tight->pieces[0].entry_points.empty());
  const auto roomy = read_samples({*plan, points.get()}, 2, images + 8);
  EXPECT_EQ(text_of(roomy->pieces[0].entry_points), "zero");
}

TEST_F(EntryPointsTest, AreNotOpenedInVain) {
  EXPECT_EQ(EntryPoints::open(*pets(), EntryPointUse::kOff), nullptr);
  const pipeline::SourceSpec uncached{
      "folder", {folder_.path("pets")}, {{"index_cache", "false"}}, {}};
  EXPECT_EQ(EntryPoints::open(*plan_of(uncached, {"image"}), EntryPointUse::kLearn), nullptr);
  const pipeline::SourceSpec made_up{"synthetic", {}, {{"samples", "4"}}, {}};
  EXPECT_EQ(EntryPoints::open(*plan_of(made_up, {"image"}), EntryPointUse::kLearn), nullptr);
}

TEST_F(EntryPointsTest, AreUsedAndCountedByARun) {
  for (const char* name : {"real/a/0.jpg", "real/a/1.jpg"}) folder_.write(name, jpeg_text(32));
  const auto plan = plan_of({"folder", {folder_.path("real")}, {}, {}}, {"image"});
  {
    const auto points = open_points(*plan);
    const auto loaded = read_samples({*plan, points.get()}, 2);
    points->store().learn(*loaded->pieces[1].entry_point_key, bytes_of("of no use to a decoder"));
  }
  for (const EntryPointUse use :
       {EntryPointUse::kLearn, EntryPointUse::kUse, EntryPointUse::kOff}) {
    const auto run = Run::start(plan, {.threads = 2, .entry_points = use});
    ASSERT_TRUE(run.ok()) << run.status().message();
    for (int i = 0; i < 2; ++i) ASSERT_TRUE((*run)->next().ok());
    const RunStats stats = (*run)->stats();
    EXPECT_EQ(stats.entry_points.found, use == EntryPointUse::kOff ? 0u : 1u);
    EXPECT_EQ(stats.entry_points.stored_bytes > 0, use != EntryPointUse::kOff);
    EXPECT_EQ(stats.entry_points.problem, "");
  }
}

}  // namespace
}  // namespace penstock::deliver
