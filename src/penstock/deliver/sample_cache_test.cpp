#include "penstock/deliver/sample_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace penstock::deliver {
namespace {

std::unique_ptr<const pipeline::Plan> plan_of(const std::string& num_samples) {
  pipeline::Spec spec;
  spec.source = {"synthetic", {}, {{"samples", num_samples}}, {}};
  spec.fields = {{"label", {"label", {}}, {}}};
  auto plan = pipeline::make_plan(spec, {});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::move(plan).value();
}

class SampleCacheTest : public testing::Test {
 protected:
  SampleCache make(std::uint64_t max_bytes) const { return {*plan_, max_bytes}; }

  const std::unique_ptr<const pipeline::Plan> plan_ = plan_of("8");
};

SampleKey key_at(std::uint64_t offset, std::uint64_t size_bytes = 5) {
  return {.where = {.object = 1, .offset = offset, .size_bytes = size_bytes}};
}

void add_text(SampleCache& cache, const SampleKey& key, std::string_view text) {
  cache.add_bytes(key, std::as_bytes(std::span(text)));
}

// "nothing" if it is not there.
std::string text_at(const SampleCache& cache, const SampleKey& key) {
  const auto found = cache.find_bytes(key);
  return found ? std::string(reinterpret_cast<const char*>(found->data()), found->size())
               : "nothing";
}

TEST_F(SampleCacheTest, FindsWhatWasAdded) {
  SampleCache cache = make(1000);
  add_text(cache, key_at(0), "first");
  add_text(cache, key_at(9, 0), "");
  EXPECT_EQ(text_at(cache, key_at(0)), "first");
  EXPECT_EQ(text_at(cache, key_at(9, 0)), "");
  EXPECT_EQ(cache.stats().stored_bytes, 5u);
  EXPECT_FALSE(cache.stats().is_full);
}

TEST_F(SampleCacheTest, TellsPlacesAndFieldsApart) {
  SampleCache cache = make(1000);
  const SampleKey key = key_at(7);
  add_text(cache, key, "first");
  SampleKey other = key;
  other.where.object = 2;
  EXPECT_EQ(text_at(cache, other), "nothing");
  EXPECT_EQ(text_at(cache, key_at(8)), "nothing");
  EXPECT_EQ(text_at(cache, key_at(7, 6)), "nothing");
  other = key;
  other.image_field = 0;
  EXPECT_EQ(cache.find_image(other).data, nullptr);
}

TEST_F(SampleCacheTest, KeepsAnImageWithoutWhatLiesBetweenItsRows) {
  SampleCache cache = make(1000);
  const std::vector<std::uint8_t> pixels = {1, 2, 99, 3, 4, 99};
  SampleKey key = key_at(0);
  key.image_field = 3;
  cache.add_image(key, {pixels.data(), 2, 2, 1, 3});
  const ImageView image = cache.find_image(key);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(image.channels, 1);
  EXPECT_EQ(image.stride, 2u);
  EXPECT_EQ(std::vector(image.data, image.data + 4), (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST_F(SampleCacheTest, ThrowsNothingOutWhenItIsFull) {
  SampleCache cache = make(1000);
  const std::string text(100, 'x');
  for (std::uint64_t i = 0; i < 100; ++i) add_text(cache, key_at(i), text);
  EXPECT_TRUE(cache.stats().is_full);
  EXPECT_LE(cache.held_bytes(), 1000u);
  EXPECT_EQ(text_at(cache, key_at(0)), text);
  EXPECT_EQ(text_at(cache, key_at(99)), "nothing");
  EXPECT_EQ(cache.stats().missed_bytes, 10'000u);
  // What is smaller may still fit.
  add_text(cache, key_at(200), "");
  EXPECT_EQ(text_at(cache, key_at(200)), "");
}

TEST_F(SampleCacheTest, TakesWhatIsThereOnlyOnce) {
  SampleCache cache = make(1000);
  add_text(cache, key_at(0), "first");
  const std::uint64_t held = cache.held_bytes();
  add_text(cache, key_at(0), "other");
  EXPECT_EQ(text_at(cache, key_at(0)), "first");
  EXPECT_EQ(cache.held_bytes(), held);
}

TEST_F(SampleCacheTest, WithoutRoomItIsFull) {
  SampleCache cache = make(0);
  add_text(cache, key_at(0), "first");
  EXPECT_TRUE(cache.stats().is_full);
  EXPECT_EQ(cache.held_bytes(), 0u);
}

TEST_F(SampleCacheTest, ServesManyThreads) {
  constexpr std::uint64_t kMaxBytes = 20'000;
  SampleCache cache = make(kMaxBytes);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        add_text(cache, key_at(i), std::to_string(i));
        EXPECT_LE(cache.held_bytes(), kMaxBytes);
        const std::string found = text_at(cache, key_at(i / 2));
        EXPECT_TRUE(found == std::to_string(i / 2) || found == "nothing");
      }
    });
  }
  threads.clear();
  std::uint64_t stored_bytes = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string found = text_at(cache, key_at(i));
    if (found == "nothing") continue;
    EXPECT_EQ(found, std::to_string(i));
    stored_bytes += found.size();
  }
  EXPECT_GT(stored_bytes, 0u);
  EXPECT_EQ(cache.stats().stored_bytes, stored_bytes);
  EXPECT_TRUE(cache.stats().is_full);
}

TEST_F(SampleCacheTest, KnowsItsPipeline) {
  const SampleCache cache = make(1000);
  EXPECT_TRUE(cache.is_of(*plan_of("8")));
  EXPECT_FALSE(cache.is_of(*plan_of("9")));
}

}  // namespace
}  // namespace penstock::deliver
