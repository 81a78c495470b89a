// How fast features are found in an Example as ImageNet's are: an image and ten small features, of
// which two or three are wanted.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "penstock/format/example_reader.h"
#include "penstock/format/example_writer.h"
#include "penstock/format/tfrecord_reader.h"
#include "penstock/format/tfrecord_writer.h"

namespace penstock::format {
namespace {

const std::vector<std::string> kNames = {"image/encoded", "image/class/label", "image/object/bbox"};

std::string make_example(std::size_t image_bytes) {
  const std::vector<std::byte> image(image_bytes, std::byte{17});
  const Bytes text = Bytes(image).first(20);
  const std::vector<FeatureInput> features = {
      {"image/encoded", std::vector{Bytes(image)}},
      {"image/class/label", std::vector<std::int64_t>{613}},
      {"image/class/synset", std::vector{text}},
      {"image/class/text", std::vector{text}},
      {"image/colorspace", std::vector{text}},
      {"image/channels", std::vector<std::int64_t>{3}},
      {"image/filename", std::vector{text}},
      {"image/format", std::vector{text}},
      {"image/height", std::vector<std::int64_t>{375}},
      {"image/width", std::vector<std::int64_t>{500}},
      {"image/object/bbox", std::vector<float>{0, 0.5f, 0.25f, 1}}};
  auto example = encode_example(features);
  return example.ok() ? *std::move(example) : std::string();
}

void BM_find_features(benchmark::State& state) {
  const std::string example = make_example(110'000);
  const std::vector<int> wanted = {0, 1, 2};
  const auto num_wanted = static_cast<std::size_t>(state.range(0));
  std::vector<Feature> found(num_wanted);
  for (auto _ : state) {
    const Status status = find_features(std::as_bytes(std::span(example)), kNames,
                                        std::span(wanted).first(num_wanted), found);
    if (!status.ok()) return state.SkipWithError("no example");
    benchmark::DoNotOptimize(found.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_find_features)->ArgName("wanted")->Arg(1)->Arg(2)->Arg(3);

// What a sample costs before its image is decoded: the checksum, and two features.
void BM_check_and_find_features(benchmark::State& state) {
  const std::string example = make_example(110'000);
  std::vector<std::byte> record;
  append_tfrecord(record, std::as_bytes(std::span(example)));
  const std::vector<int> wanted = {0, 1};
  std::vector<Feature> found(2);
  for (auto _ : state) {
    const auto data = checked_tfrecord(Bytes(record).subspan(kTfrecordHeaderBytes));
    if (!data.ok() || !find_features(*data, kNames, wanted, found).ok()) {
      return state.SkipWithError("no example");
    }
    benchmark::DoNotOptimize(found.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(example.size()));
}
BENCHMARK(BM_check_and_find_features);

}  // namespace
}  // namespace penstock::format
