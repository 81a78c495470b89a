#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "penstock/source/source.h"
#include "penstock/source/testing.h"

namespace penstock::source {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Objects = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> sample_names(const Source& source) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < source.num_samples(); ++i) names.push_back(source.sample_name(i));
  return names;
}

std::vector<std::int64_t> labels(const Source& source) {
  std::vector<std::int64_t> numbers(source.num_samples());
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    std::memcpy(&numbers[i], source.row(i, 1).data(), 8);
  }
  return numbers;
}

std::unique_ptr<Source> open(const storage::Storage& storage, const FolderOptions& options) {
  auto source = make_folder_source(storage, options);
  EXPECT_TRUE(source.ok()) << source.status().message();
  return source.ok() ? *std::move(source) : nullptr;
}

std::string failure(Objects objects, const FolderOptions& options) {
  const auto storage = storage::make_memory_storage(std::move(objects));
  return std::string(make_folder_source(*storage, options).status().message());
}

const Objects kPets = {
    {"pets/cat/1.jpg", "meow"}, {"pets/dog/1.PNG", "woof!"}, {"pets/cat/2.jpeg", ""}};

TEST(FolderSourceTest, NumbersClassesByFolder) {
  const auto storage = storage::make_memory_storage(kPets);
  const auto source = open(*storage, {.path = "pets"});
  EXPECT_THAT(sample_names(*source),
              ElementsAre("pets/cat/1.jpg", "pets/cat/2.jpeg", "pets/dog/1.PNG"));
  EXPECT_THAT(labels(*source), ElementsAre(0, 0, 1));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(source->shard_sizes(), ElementsAre(3u));
}

TEST(FolderSourceTest, DescribesItsFields) {
  const auto storage = storage::make_memory_storage(kPets);
  const auto source = open(*storage, {.path = "pets"});
  ASSERT_EQ(source->fields().size(), 2u);
  EXPECT_EQ(source->fields()[0].name, "image");
  EXPECT_EQ(source->fields()[0].kind, FieldKind::kBytes);
  EXPECT_EQ(source->fields()[1].name, "label");
  EXPECT_EQ(source->fields()[1].kind, FieldKind::kArray);
  EXPECT_EQ(source->fields()[1].dtype, DType::kI64);
  EXPECT_EQ(source->fields()[1].shape.rank(), 0);
}

TEST(FolderSourceTest, LocatesWholeFiles) {
  const auto storage = storage::make_memory_storage(kPets);
  const auto source = open(*storage, {.path = "pets/"});
  const auto piece = source->locate(2, 0);
  ASSERT_TRUE(piece.ok());
  EXPECT_EQ(source->object_path(piece->object), "pets/dog/1.PNG");
  EXPECT_EQ(piece->offset, 0u);
  EXPECT_EQ(piece->size_bytes, 5u);
  EXPECT_EQ(source->storage(0), storage.get());
}

TEST(FolderSourceTest, HasNoLabelFieldWithoutLabels) {
  const auto storage = storage::make_memory_storage({{"d/a.jpg", ""}, {"d/b/c.gif", ""}});
  const auto source = open(*storage, {.path = "d", .labels = "none"});
  EXPECT_EQ(source->fields().size(), 1u);
  EXPECT_THAT(sample_names(*source), ElementsAre("d/a.jpg", "d/b/c.gif"));
  EXPECT_THAT(source->classes(), IsEmpty());
}

TEST(FolderSourceTest, PassesOverOtherFilesAndDots) {
  const auto storage = storage::make_memory_storage({{"d/x/a.jpg", ""},
                                                     {"d/x/a.txt", ""},
                                                     {"d/x/.b.jpg", ""},
                                                     {"d/.x/c.jpg", ""},
                                                     {"d/x/jpg", ""},
                                                     {"d/readme.md", ""}});
  EXPECT_THAT(sample_names(*open(*storage, {.path = "d"})), ElementsAre("d/x/a.jpg"));
}

TEST(FolderSourceTest, SortsByPathNotByFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"a/z.jpg", "a/b/c.jpg", "a-b/d.jpg", "a.jpg", "a/a.jpg"}) {
    folder.write(name, "");
  }
  const auto storage = storage::make_local_storage();
  EXPECT_THAT(sample_names(*open(*storage, {.path = folder.path(), .labels = "none"})),
              ElementsAre(folder.path("a-b/d.jpg"), folder.path("a.jpg"), folder.path("a/a.jpg"),
                          folder.path("a/b/c.jpg"), folder.path("a/z.jpg")));
}

TEST(FolderSourceTest, NumbersClassesBySortedNameNotByPath) {
  // As paths, a-b/ comes before a/; as names, a comes before a-b.
  const auto storage = storage::make_memory_storage({{"d/a-b/1.jpg", ""}, {"d/a/1.jpg", ""}});
  const auto source = open(*storage, {.path = "d"});
  EXPECT_THAT(source->classes(), ElementsAre("a", "a-b"));
  EXPECT_THAT(labels(*source), ElementsAre(1, 0));
}

TEST(FolderSourceTest, TakesTheFirstFolderForTheClass) {
  const auto storage = storage::make_memory_storage({{"d/a/x/1.jpg", ""}, {"d/b/y/1.jpg", ""}});
  EXPECT_THAT(open(*storage, {.path = "d"})->classes(), ElementsAre("a", "b"));
}

TEST(FolderSourceTest, TakesLabelsFromCsv) {
  const auto storage = storage::make_memory_storage(
      {{"d/a.jpg", ""}, {"d/b/c.jpg", ""}, {"t.csv", "file,label\nb/c.jpg,cat\na.jpg,dog\n"}});
  const auto source = open(*storage, {.path = "d", .labels = "t.csv"});
  EXPECT_THAT(labels(*source), ElementsAre(1, 0));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
}

TEST(FolderSourceTest, TakesLabelsFromJsonLines) {
  const auto storage = storage::make_memory_storage(
      {{"d/a.jpg", ""}, {"t.jsonl", "{\"file\": \"a.jpg\", \"label\": 42}\n"}});
  EXPECT_THAT(labels(*open(*storage, {.path = "d", .labels = "t.jsonl"})), ElementsAre(42));
}

TEST(FolderSourceTest, FingerprintFollowsNamesAndLabelsNotThePlace) {
  const auto fingerprint = [](Objects objects, const FolderOptions& options) {
    const auto storage = storage::make_memory_storage(std::move(objects));
    return open(*storage, options)->fingerprint();
  };
  const std::uint64_t pets = fingerprint(kPets, {.path = "pets"});
  Objects moved;
  for (const auto& [path, content] : kPets) moved["far/" + path] = content;
  EXPECT_EQ(fingerprint(moved, {.path = "far/pets"}), pets);
  EXPECT_NE(fingerprint(kPets, {.path = "pets", .labels = "none"}), pets);
  Objects more = kPets;
  more["pets/dog/2.jpg"] = "";
  EXPECT_NE(fingerprint(more, {.path = "pets"}), pets);
}

TEST(FolderSourceTest, TellsProgress) {
  const auto storage = storage::make_memory_storage(kPets);
  std::vector<std::uint64_t> done;
  const auto listen = [&](const IndexProgress& progress) {
    EXPECT_EQ(progress.what, "pets");
    done.push_back(progress.done);
  };
  ASSERT_TRUE(make_folder_source(*storage, {.path = "pets"}, listen).ok());
  EXPECT_THAT(done, ElementsAre(3u));
}

TEST(FolderSourceTest, NamesTheFolderThatIsMissing) {
  EXPECT_EQ(failure({}, {.path = "pets"}), "no folder at pets, expected a folder of images");
  const auto local = storage::make_local_storage();
  EXPECT_EQ(make_folder_source(*local, {.path = "/no/such"}).status().message(),
            "no folder at /no/such, expected a folder of images");
}

TEST(FolderSourceTest, NamesAFileThatIsNoFolder) {
  const TemporaryFolder folder;
  folder.write("a.jpg", "");
  const auto storage = storage::make_local_storage();
  EXPECT_EQ(make_folder_source(*storage, {.path = folder.path("a.jpg")}).status().message(),
            folder.path("a.jpg") + " is a file, expected a folder of images");
}

TEST(FolderSourceTest, RefusesAnEmptyPath) {
  EXPECT_EQ(failure({}, {}), "path is empty, expected a folder of images");
}

TEST(FolderSourceTest, NamesAFolderWithoutImages) {
  EXPECT_EQ(failure({{"d/a.txt", ""}}, {.path = "d"}),
            "no images in d, expected files ending in .jpg, .jpeg, .png, .webp, .tif, .tiff, "
            ".bmp, .gif, .ppm");
}

TEST(FolderSourceTest, NamesAnImageOutsideOfTheClasses) {
  EXPECT_EQ(failure({{"d/a/1.jpg", ""}, {"d/b.jpg", ""}}, {.path = "d"}),
            "d/b.jpg lies in no class folder, expected d/<class>/<image>, or labels \"none\" or a "
            "table");
}

TEST(FolderSourceTest, NamesAClassWithoutImages) {
  EXPECT_EQ(failure({{"d/a/1.jpg", ""}, {"d/b/1.txt", ""}}, {.path = "d"}),
            "no images in class folder d/b, expected one or more in every folder of d");
}

TEST(FolderSourceTest, RefusesLabelsOfUnknownKind) {
  EXPECT_EQ(failure({{"d/a.jpg", ""}}, {.path = "d", .labels = "class"}),
            "labels is 'class', expected \"classes\", \"none\", or a .csv or .jsonl file");
}

TEST(FolderSourceTest, NamesTheTableThatIsMissing) {
  EXPECT_EQ(failure({{"d/a.jpg", ""}}, {.path = "d", .labels = "t.csv"}), "t.csv: no such file");
}

TEST(FolderSourceTest, NamesTableAndFileThatDoNotMatch) {
  EXPECT_EQ(failure({{"d/a.jpg", ""}, {"d/b.jpg", ""}, {"t.csv", "file,label\na.jpg,1\n"}},
                    {.path = "d", .labels = "t.csv"}),
            "t.csv: no label for b.jpg");
  EXPECT_EQ(failure({{"d/a.jpg", ""}, {"t.csv", "file,label\na.jpg,1\nb.jpg,1\n"}},
                    {.path = "d", .labels = "t.csv"}),
            "t.csv: line 3: no image named b.jpg");
}

// The index of a folder, kept from one start to the next.
class FolderIndexTest : public testing::Test {
 protected:
  FolderIndexTest() {
    folder_.write("pets/cat/1.jpg", "meow");
    folder_.write("pets/dog/1.jpg", "woof!");
    std::filesystem::create_directories(folder_.path("pets/dog/old"));
    age();
  }

  // Times of some file systems are as coarse as a tick of the kernel: two changes in one tick look
  // like one.
  void age() {
    for (const char* name : {"pets", "pets/cat", "pets/dog", "pets/dog/old"}) {
      const std::filesystem::path path = folder_.path(name);
      const auto time = std::filesystem::last_write_time(path);
      std::filesystem::last_write_time(path, time - std::chrono::hours(1));
    }
  }

  // How many folders are listed to open the folder.
  int listings_of_open() {
    const int before = storage_.num_listings;
    source_ = open(storage_, {.path = folder_.path("pets"), .cache_folder = folder_.path("cache")});
    return storage_.num_listings - before;
  }

  TemporaryFolder folder_;
  CountingStorage storage_{storage::make_local_storage()};
  std::unique_ptr<Source> source_;
};

TEST_F(FolderIndexTest, SecondOpenListsNothing) {
  EXPECT_EQ(listings_of_open(), 4);
  const std::vector<std::string> names = sample_names(*source_);
  const std::uint64_t fingerprint = source_->fingerprint();
  EXPECT_EQ(listings_of_open(), 0);
  EXPECT_EQ(sample_names(*source_), names);
  EXPECT_EQ(source_->fingerprint(), fingerprint);
  EXPECT_EQ(source_->locate(1, 0)->size_bytes, 5u);
  EXPECT_TRUE(std::filesystem::exists(folder_.path(".penstock/pets.index")));
}

TEST_F(FolderIndexTest, SeesAFileThatWasAdded) {
  listings_of_open();
  folder_.write("pets/cat/2.jpg", "");
  EXPECT_EQ(listings_of_open(), 4);
  EXPECT_EQ(source_->num_samples(), 3u);
  EXPECT_EQ(listings_of_open(), 0);
}

TEST_F(FolderIndexTest, SeesAFileAddedToAFolderThatWasEmpty) {
  listings_of_open();
  folder_.write("pets/dog/old/0.jpg", "");
  listings_of_open();
  EXPECT_EQ(source_->num_samples(), 3u);
}

TEST_F(FolderIndexTest, SeesAFileThatWasRemoved) {
  folder_.write("pets/cat/2.jpg", "");
  age();
  listings_of_open();
  std::filesystem::remove(folder_.path("pets/cat/1.jpg"));
  listings_of_open();
  EXPECT_THAT(sample_names(*source_),
              ElementsAre(folder_.path("pets/cat/2.jpg"), folder_.path("pets/dog/1.jpg")));
}

TEST_F(FolderIndexTest, SeesAFileReplacedByRenaming) {
  listings_of_open();
  folder_.write("new.jpg", "a longer meow");
  std::filesystem::rename(folder_.path("new.jpg"), folder_.path("pets/cat/1.jpg"));
  listings_of_open();
  EXPECT_EQ(source_->locate(0, 0)->size_bytes, 13u);
}

TEST_F(FolderIndexTest, SeesAFolderThatWasRemoved) {
  listings_of_open();
  std::filesystem::remove_all(folder_.path("pets/dog"));
  listings_of_open();
  EXPECT_THAT(source_->classes(), ElementsAre("cat"));
}

TEST_F(FolderIndexTest, MakesADamagedIndexAnew) {
  listings_of_open();
  std::string bytes = folder_.read(".penstock/pets.index");
  bytes[40] ^= 1;
  folder_.write(".penstock/pets.index", bytes);
  EXPECT_EQ(listings_of_open(), 4);
  EXPECT_EQ(listings_of_open(), 0);
}

TEST_F(FolderIndexTest, GoesToTheCacheIfItsPlaceIsReadOnly) {
  storage_.read_only = folder_.path(".penstock");
  EXPECT_EQ(listings_of_open(), 4);
  EXPECT_FALSE(std::filesystem::exists(folder_.path(".penstock")));
  EXPECT_EQ(listings_of_open(), 0);
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path("cache/index")));
}

TEST_F(FolderIndexTest, DoesWithoutAPlace) {
  storage_.read_only = "/";
  EXPECT_EQ(listings_of_open(), 4);
  EXPECT_EQ(listings_of_open(), 4);
}

TEST_F(FolderIndexTest, IsNotKeptIfNotWanted) {
  open(storage_, {.path = folder_.path("pets"), .uses_index_cache = false});
  EXPECT_FALSE(std::filesystem::exists(folder_.path(".penstock")));
}

TEST_F(FolderIndexTest, LeavesTheFolderAsItIs) {
  listings_of_open();
  EXPECT_FALSE(std::filesystem::exists(folder_.path("pets/.penstock")));
}

TEST_F(FolderIndexTest, ServesEveryKindOfLabels) {
  listings_of_open();
  const int before = storage_.num_listings;
  const auto source = open(storage_, {.path = folder_.path("pets"), .labels = "none"});
  EXPECT_EQ(storage_.num_listings, before);
  EXPECT_EQ(source->fields().size(), 1u);
}

TEST_F(FolderIndexTest, RefusesALoopOfLinks) {
  std::filesystem::create_directory_symlink(folder_.path("pets"), folder_.path("pets/cat/loop"));
  const Status status = make_folder_source(storage_, {.path = folder_.path("pets")}).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_THAT(std::string(status.message()),
              testing::EndsWith(": more than 32 folders deep, which may be a loop of links"));
}

}  // namespace
}  // namespace penstock::source
