// Where each kind of source keeps entry points.
#include <gtest/gtest.h>

#include "penstock/source/index_file.h"
#include "penstock/source/testing.h"
#include "penstock/source/testing_sources.h"

namespace penstock::source {
namespace {

std::unique_ptr<storage::Storage> images_and_shards() {
  return storage::make_memory_storage({{"data/pets/cat/1.jpg", "meow"},
                                       {"data/pets/dog/1.jpg", "woof"},
                                       {"a/0.tar", tar_of({{"x.jpg", "x"}})},
                                       {"a/1.tar", tar_of({{"y.jpg", "y"}})},
                                       {"b/2.tar", tar_of({{"z.jpg", "z"}})}});
}

std::unique_ptr<Source> folder(const storage::Storage& storage, std::string path,
                               bool uses_index_cache = true) {
  return opened(make_folder_source(
      storage,
      {.path = std::move(path), .uses_index_cache = uses_index_cache, .cache_folder = "cache"}));
}

std::unique_ptr<Source> shards(const storage::Storage& storage, std::vector<std::string> urls) {
  return opened(make_tar_source(storage, {.urls = std::move(urls), .cache_folder = "cache"}));
}

TEST(EntryPointPlacesTest, OfAFolderLieBesideItUnderItsName) {
  const auto storage = images_and_shards();
  const auto source = folder(*storage, "data/pets");
  const IndexPlaces* places = source->entry_point_places(0);
  ASSERT_NE(places, nullptr);
  EXPECT_EQ(places->beside, "data/.penstock/pets.entry-points");
  EXPECT_TRUE(places->cached.starts_with("cache/entry-points/")) << places->cached;
  EXPECT_TRUE(places->cached.ends_with("-pets.entry-points")) << places->cached;
  EXPECT_EQ(source->entry_point_places(1), places);
}

TEST(EntryPointPlacesTest, OfShardsLieInTheirFolder) {
  const auto storage = images_and_shards();
  const auto source = shards(*storage, {"a/*.tar", "b/*.tar"});
  EXPECT_EQ(source->entry_point_places(0)->beside, "a/.penstock/entry-points");
  EXPECT_EQ(source->entry_point_places(1), source->entry_point_places(0));
  EXPECT_EQ(source->entry_point_places(2)->beside, "b/.penstock/entry-points");
}

TEST(EntryPointPlacesTest, AreNowhereWithoutAnIndexCache) {
  const auto storage = images_and_shards();
  EXPECT_EQ(folder(*storage, "data/pets", false)->entry_point_places(0), nullptr);
  EXPECT_EQ(opened(make_tar_source(*storage, {.urls = {"a/*.tar"}, .uses_index_cache = false}))
                ->entry_point_places(0),
            nullptr);
}

TEST(EntryPointPlacesTest, OfArraysAreNowhere) {
  const std::vector<std::int64_t> numbers = {1, 2};
  EXPECT_EQ(number_source("x", numbers)->entry_point_places(0), nullptr);
}

TEST(EntryPointPlacesTest, OfSourcesMadeOfOthersAreThoseOfTheObjects) {
  const auto storage = images_and_shards();
  const auto both = opened(
      make_concat_source(list_of(shards(*storage, {"a/*.tar"}), shards(*storage, {"b/*.tar"}))));
  EXPECT_EQ(both->entry_point_places(1)->beside, "a/.penstock/entry-points");
  EXPECT_EQ(both->entry_point_places(2)->beside, "b/.penstock/entry-points");
  const auto pairs = opened(
      make_zip_source(list_of(folder(*storage, "data/pets"), shards(*storage, {"a/*.tar"}))));
  EXPECT_EQ(pairs->entry_point_places(1)->beside, "data/.penstock/pets.entry-points");
  EXPECT_EQ(pairs->entry_point_places(2)->beside, "a/.penstock/entry-points");
  const auto some = opened(make_filtered_source(shards(*storage, {"b/*.tar"}), {.key = "z"}));
  EXPECT_EQ(some->entry_point_places(0)->beside, "b/.penstock/entry-points");
}

}  // namespace
}  // namespace penstock::source
