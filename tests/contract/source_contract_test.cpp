// What every source must satisfy, over all kinds. A new kind is covered by a maker in kMakers.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "penstock/format/example_writer.h"
#include "penstock/format/tar_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/source/source.h"
#include "penstock/storage/storage.h"

namespace penstock::source {
namespace {

// What the sources read: it stays the same and outlives them.
struct World {
  std::unique_ptr<storage::Storage> storage;
  std::vector<std::int64_t> numbers = {5, 6, 7, 8};
};

std::string tar_of(std::initializer_list<std::string_view> names) {
  std::vector<std::byte> shard;
  for (const std::string_view name : names) {
    EXPECT_TRUE(format::append_tar_member(shard, name, std::as_bytes(std::span(name))).ok());
  }
  const std::vector<std::byte> end = format::tar_end();
  shard.insert(shard.end(), end.begin(), end.end());
  return {reinterpret_cast<const char*>(shard.data()), shard.size()};
}

// Records with a label each.
std::string tfrecord_of(std::initializer_list<std::int64_t> labels) {
  std::vector<std::byte> shard;
  for (const std::int64_t label : labels) {
    const auto example = format::encode_example(
        std::vector<format::FeatureInput>{{"label", std::vector<std::int64_t>{label}}});
    EXPECT_TRUE(example.ok()) << example.status().message();
    format::append_tfrecord(shard, std::as_bytes(std::span(*example)));
  }
  return {reinterpret_cast<const char*>(shard.data()), shard.size()};
}

World make_world() {
  return {storage::make_memory_storage({{"0.tar", tar_of({"a.jpg", "a.cls", "b.jpg", "b.cls"})},
                                        {"1.tar", tar_of({"c.jpg", "d.jpg", "d.txt"})},
                                        {"0.tfrecord", tfrecord_of({1, 2})},
                                        {"1.tfrecord", tfrecord_of({3})},
                                        {"images/cat/1.jpg", "one"},
                                        {"images/cat/2.jpg", "two"},
                                        {"images/dog/1.jpg", "three"},
                                        {"images/dog/2.jpg", "four"}})};
}

using Made = Result<std::unique_ptr<Source>>;

Made make_folder(const World& world) {
  return make_folder_source(*world.storage, {.path = "images"});
}
Made make_tar(const World& world) { return make_tar_source(*world.storage, {.urls = {"*.tar"}}); }
Made make_tfrecord(const World& world) {
  return make_tfrecord_source(*world.storage, {.urls = {"*.tfrecord"}});
}
Made make_arrays(const World& world) {
  return make_array_source({{{.name = "number", .kind = FieldKind::kArray, .dtype = DType::kI64},
                             std::as_bytes(std::span(world.numbers))}});
}
Made make_synthetic(const World&) {
  return make_synthetic_source({.samples = 20, .shape = {4, 4, 3}, .classes = 3});
}
Made combined(Made first, Made second, decltype(&make_concat_source) combine) {
  PENSTOCK_TRY(first);
  PENSTOCK_TRY(second);
  std::vector<std::unique_ptr<Source>> children;
  children.push_back(*std::move(first));
  children.push_back(*std::move(second));
  return combine(std::move(children));
}
Made make_concat(const World& world) {
  return combined(make_tar(world), make_tar(world), &make_concat_source);
}
Made make_zip(const World& world) {
  return combined(make_folder(world), make_tar(world), &make_zip_source);
}
Made make_filtered(const World& world) {
  PENSTOCK_TRY_ASSIGN(auto child, make_tar(world));
  return make_filtered_source(std::move(child), {.key = "[bd]"});
}

struct Maker {
  std::string_view name;
  Made (*make)(const World&);
  bool has_index;  // holds memory of its own
};

std::ostream& operator<<(std::ostream& out, const Maker& maker) { return out << maker.name; }

constexpr Maker kMakers[] = {
    {"folder", &make_folder, true},
    {"tar", &make_tar, true},
    {"tfrecord", &make_tfrecord, true},
    {"arrays", &make_arrays, false},
    {"synthetic", &make_synthetic, true},
    {"concat", &make_concat, true},
    {"zip", &make_zip, true},
    {"filtered", &make_filtered, true},
};

class SourceContractTest : public testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    auto made = GetParam().make(world_);
    ASSERT_TRUE(made.ok()) << made.status().message();
    source_ = *std::move(made);
  }

  World world_ = make_world();
  std::unique_ptr<Source> source_;
};

TEST_P(SourceContractTest, ShardSizesAddUpToTheSamples) {
  const auto sizes = source_->shard_sizes();
  EXPECT_GT(source_->num_samples(), 0u);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}), source_->num_samples());
}

TEST_P(SourceContractTest, FieldsHaveDifferentNames) {
  const auto fields = source_->fields();
  ASSERT_FALSE(fields.empty());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_FALSE(fields[i].name.empty());
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(fields[i].name, fields[j].name);
  }
}

TEST_P(SourceContractTest, PiecesLieWithinTheirObject) {
  for (std::uint64_t sample = 0; sample < source_->num_samples(); ++sample) {
    for (std::size_t field = 0; field < source_->fields().size(); ++field) {
      if (source_->fields()[field].kind == FieldKind::kArray) continue;
      const auto piece = source_->locate(sample, static_cast<int>(field));
      if (!piece.ok()) {
        EXPECT_EQ(piece.status().code(), Code::kNotFound) << piece.status().message();
        continue;
      }
      ASSERT_LT(piece->object, source_->num_objects());
      const storage::Storage* storage = source_->storage(piece->object);
      ASSERT_NE(storage, nullptr);
      const auto object = storage->stat(source_->object_path(piece->object));
      ASSERT_TRUE(object.ok()) << object.status().message();
      EXPECT_LE(piece->offset + piece->size_bytes, object->size_bytes);
    }
  }
}

TEST_P(SourceContractTest, EverySampleHasItsRowOfEachArray) {
  for (std::size_t field = 0; field < source_->fields().size(); ++field) {
    const FieldInfo& info = source_->fields()[field];
    if (info.kind != FieldKind::kArray) continue;
    for (std::uint64_t sample = 0; sample < source_->num_samples(); ++sample) {
      EXPECT_EQ(source_->row(sample, static_cast<int>(field)).size(),
                info.shape.size() * size_bytes(info.dtype));
    }
  }
}

TEST_P(SourceContractTest, EverySampleHasANameAndAnOrigin) {
  for (std::uint64_t sample = 0; sample < source_->num_samples(); ++sample) {
    EXPECT_FALSE(source_->sample_name(sample).empty());
    EXPECT_FALSE(source_->origin(sample).source.empty());
  }
}

TEST_P(SourceContractTest, FingerprintIsThatOfTheSameDataAgain) {
  const World again = make_world();
  const auto made = GetParam().make(again);
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ((*made)->fingerprint(), source_->fingerprint());
  EXPECT_EQ(source_->fingerprint(), source_->fingerprint());
}

TEST_P(SourceContractTest, TellsTheMemoryOfItsIndex) {
  if (GetParam().has_index) {
    EXPECT_GT(source_->memory_bytes(), 0u);
  } else {
    EXPECT_EQ(source_->memory_bytes(), 0u);
  }
}

TEST_P(SourceContractTest, CleanDataHasNoDamage) { EXPECT_TRUE(source_->damages().empty()); }

INSTANTIATE_TEST_SUITE_P(Sources, SourceContractTest, testing::ValuesIn(kMakers),
                         [](const auto& maker) { return std::string(maker.param.name); });

}  // namespace
}  // namespace penstock::source
