// Walks the map entries of an Example: an Example is {1: Features}, a SequenceExample {1: Features,
// 2: FeatureLists}, and both Features and FeatureLists are {1: map entry, ...} with {1: name, 2:
// value}.
#include "penstock/format/example_reader.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "penstock/format/protobuf.h"

namespace penstock::format {
namespace {

using protozero::data_view;
using protozero::pbf_reader;

struct MapEntry {
  std::string_view name;
  Bytes value;
  bool is_sequence = false;
};

Status parse_entry(data_view message, MapEntry& out) {
  bool has_value = false;
  for (pbf_reader reader(message); reader.next();) {
    switch (reader.tag_and_type()) {
      case length_delimited(1):
        out.name = text_of(reader.get_view());
        break;
      case length_delimited(2):
        // Protobuf would join them. Nobody writes that, and a view cannot hold it.
        if (has_value) return unsupported("the value comes in several parts, expected one");
        out.value = bytes_of(reader.get_view());
        has_value = true;
        break;
      default:
        reader.skip();
    }
  }
  return {};
}

Status parse_value(const MapEntry& entry, Feature& out) {
  return entry.is_sequence ? parse_feature_list(entry.value, out) : parse_feature(entry.value, out);
}

// Calls `visit` with every map entry. `at` follows, for messages.
template <class Visit>
Status walk_entries(Bytes example, const char*& at, Visit visit) {
  for (pbf_reader message(view_of(example)); message.next();) {
    const std::uint32_t tag = message.tag_and_type();
    if (tag != length_delimited(1) && tag != length_delimited(2)) {
      message.skip();
      continue;
    }
    for (pbf_reader map = message.get_message(); map.next();) {
      if (map.tag_and_type() != length_delimited(1)) {
        map.skip();
        continue;
      }
      const data_view entry_message = map.get_view();
      at = entry_message.data();
      MapEntry entry{.is_sequence = tag == length_delimited(2)};
      PENSTOCK_TRY(parse_entry(entry_message, entry));
      PENSTOCK_TRY(visit(entry));
    }
  }
  return {};
}

template <class Visit>
Status for_each_entry(Bytes example, Visit visit) {
  const char* at = view_of(example).data();
  const Status status = without_exceptions([&] { return walk_entries(example, at, visit); });
  if (status.ok()) return {};
  return status.at(concat("tf.Example at byte ", at - view_of(example).data()));
}

// Whether a feature that is found replaces one that was found before.
bool replaces(const MapEntry& entry, const Feature& before) {
  const bool is_first = before.kind == FeatureKind::kMissing && before.message.data() == nullptr;
  return is_first || !entry.is_sequence || before.is_sequence;
}

}  // namespace

Status find_features(Bytes example, std::span<const std::string> names, std::span<const int> wanted,
                     std::span<Feature> out) {
  std::ranges::fill(out, Feature{});
  return for_each_entry(example, [&](const MapEntry& entry) -> Status {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::string& name = names[static_cast<std::size_t>(wanted[i])];
      if (name != entry.name || !replaces(entry, out[i])) continue;
      const Status status = parse_value(entry, out[i]);
      if (!status.ok()) return status.at(name);
    }
    return {};
  });
}

Result<std::vector<NamedFeature>> list_features(Bytes example) {
  std::map<std::string_view, Feature> features;
  PENSTOCK_TRY(for_each_entry(example, [&](const MapEntry& entry) -> Status {
    Feature& feature = features[entry.name];
    if (!replaces(entry, feature)) return {};
    const Status status = parse_value(entry, feature);
    return status.ok() ? status : status.at(entry.name);
  }));
  std::vector<NamedFeature> sorted;
  sorted.reserve(features.size());
  for (const auto& [name, feature] : features) sorted.push_back({name, feature});
  return sorted;
}

}  // namespace penstock::format
