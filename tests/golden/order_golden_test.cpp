// The order against tests/golden/order/*.txt. An answer that changes breaks every checkpoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "penstock/base/hash.h"
#include "penstock/order/order.h"

namespace penstock::order {
namespace {

using Numbers = std::vector<std::uint64_t>;

// Lines of a name and words; a name may come more than once.
struct Golden {
  std::map<std::string, std::vector<std::vector<std::string>>> lines;

  const std::string& word(const std::string& name) const { return lines.at(name).at(0).at(0); }
  std::uint64_t number(const std::string& name, int base = 10) const {
    return std::stoull(word(name), nullptr, base);
  }
  Numbers numbers(const std::string& name, std::size_t line = 0) const {
    Numbers out;
    for (const std::string& text : lines.at(name).at(line)) out.push_back(std::stoull(text));
    return out;
  }
};

Golden read_golden(const std::filesystem::path& path) {
  Golden golden;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    words >> name;
    auto& values = golden.lines[name].emplace_back();
    for (std::string word; words >> word;) values.push_back(word);
  }
  return golden;
}

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(PENSTOCK_SOURCE_DIR "/tests/golden/order")) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

template <class Enum>
Enum enum_of(const std::string& name) {
  const auto names = enum_names(Enum{});
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

EpochOrder epoch_of(const Golden& golden) {
  const auto order = make_order(golden.numbers("shards"),
                                {.shuffle = enum_of<Shuffle>(golden.word("shuffle")),
                                 .window = golden.number("window"),
                                 .lanes = static_cast<std::uint32_t>(golden.number("lanes")),
                                 .seed = golden.number("seed")});
  return order->epoch(static_cast<std::uint32_t>(golden.number("epoch")));
}

class OrderGoldenTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OrderGoldenTest, OrderIsTheGoldenOne) {
  const Golden golden = read_golden(GetParam());
  const EpochOrder epoch = epoch_of(golden);
  Numbers first;
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(epoch.size(), 50'000); ++i) {
    const std::uint64_t sample = epoch.sample_at(i);
    if (i < 32) first.push_back(sample);
    hash = combine_hash(hash, sample);
  }
  EXPECT_EQ(first, golden.numbers("first"));
  EXPECT_EQ(hash, golden.number("hash", 16));
}

TEST_P(OrderGoldenTest, LastBatchIsTheGoldenOne) {
  const Golden golden = read_golden(GetParam());
  const EpochOrder epoch = epoch_of(golden);
  const auto world = static_cast<std::uint32_t>(golden.number("world"));
  ASSERT_EQ(golden.lines.at("last_batch").size(), world);
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    const auto batches =
        make_batches(epoch.size(), {.batch_size = golden.number("batch_size"),
                                    .rank = rank,
                                    .world = world,
                                    .last = enum_of<LastBatch>(golden.word("last")),
                                    .first_position = golden.number("first_position")});
    ASSERT_TRUE(batches.ok());
    ASSERT_EQ(batches->num_batches(), golden.number("num_batches"));
    const std::uint64_t last = batches->num_batches() - 1;
    Numbers samples;
    for (std::uint64_t i = 0; i < batches->size_of(last); ++i) {
      samples.push_back(epoch.sample_at(batches->position(last, i)));
    }
    EXPECT_EQ(samples, golden.numbers("last_batch", rank)) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, OrderGoldenTest, testing::ValuesIn(golden_files()),
                         [](const auto& param) { return param.param.stem().string(); });

}  // namespace
}  // namespace penstock::order
