// Reads arbitrary bytes as a tf.Example or SequenceExample. What is listed is also found by its
// name, lies in the record, and, where all of it can be read, comes back when it is written again.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "penstock/format/example_reader.h"
#include "penstock/format/example_writer.h"

namespace {

using penstock::Bytes;
using penstock::format::Feature;
using penstock::format::FeatureInput;
using penstock::format::FeatureKind;
using penstock::format::FeatureValues;
using penstock::format::NamedFeature;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

bool lies_in(Bytes part, Bytes whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// False if the values are damaged.
bool read_feature(Bytes record, const Feature& feature, FeatureValues& out) {
  require(lies_in(feature.message, record));
  const auto count = count_values(feature);
  if (!count.ok()) return false;
  require(*count <= record.size());
  if (feature.kind == FeatureKind::kInt64) {
    std::vector<std::int64_t> values(*count);
    if (!read_values(feature, values).ok()) return false;
    out = std::move(values);
  } else if (feature.kind == FeatureKind::kFloat) {
    std::vector<float> values(*count);
    require(read_values(feature, values).ok());
    out = std::move(values);
  } else {
    std::vector<Bytes> values;
    require(read_values(feature, values).ok());
    require(values.size() == *count);
    require(std::ranges::all_of(values, [&](Bytes value) { return lies_in(value, record); }));
    out = std::move(values);
  }
  return true;
}

bool is_same(const FeatureValues& a, const FeatureValues& b) {
  if (a.index() != b.index()) return false;
  if (const auto* ints = std::get_if<1>(&a)) return *ints == std::get<1>(b);
  if (const auto* floats = std::get_if<2>(&a)) {
    return std::ranges::equal(*floats, std::get<2>(b), [](float x, float y) {
      return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
    });
  }
  return std::ranges::equal(std::get<0>(a), std::get<0>(b),
                            [](Bytes x, Bytes y) { return std::ranges::equal(x, y); });
}

void find_again(Bytes record, const std::vector<NamedFeature>& listed) {
  std::vector<std::string> names;
  std::vector<int> wanted;
  for (const NamedFeature& named : listed) {
    wanted.push_back(static_cast<int>(names.size()));
    names.emplace_back(named.name);
  }
  std::vector<Feature> found(wanted.size());
  require(penstock::format::find_features(record, names, wanted, found).ok());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Feature& feature = listed[i].feature;
    require(found[i].kind == feature.kind && found[i].is_sequence == feature.is_sequence);
    require(found[i].message.data() == feature.message.data());
    require(found[i].message.size() == feature.message.size());
  }
}

void write_again(Bytes record, const std::vector<NamedFeature>& listed) {
  std::vector<FeatureInput> inputs;
  for (const auto& [name, feature] : listed) {
    if (feature.kind == FeatureKind::kMissing) continue;
    FeatureInput input{name, {}};
    if (read_feature(record, feature, input.values)) inputs.push_back(std::move(input));
  }
  const auto written = penstock::format::encode_example(inputs);
  require(written.ok());
  const Bytes bytes = std::as_bytes(std::span(*written));
  const auto again = penstock::format::list_features(bytes);
  require(again.ok() && again->size() == inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    FeatureValues values;
    require((*again)[i].name == inputs[i].name);
    require(read_feature(bytes, (*again)[i].feature, values));
    require(is_same(values, inputs[i].values));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes record = std::as_bytes(std::span(data, size));
  const auto listed = penstock::format::list_features(record);
  if (!listed.ok()) return 0;
  find_again(record, *listed);
  write_again(record, *listed);
  return 0;
}
