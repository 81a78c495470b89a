// Reads the values of a feature. Numbers come packed (one chunk, or several) or one by one;
// protobuf allows both for the same field.
#include "penstock/format/feature.h"

#include <algorithm>

#include "penstock/format/protobuf.h"

namespace penstock::format {
namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr std::uint32_t kOneInt = protozero::tag_and_type(1, pbf_wire_type::varint);
constexpr std::uint32_t kOneFloat = protozero::tag_and_type(1, pbf_wire_type::fixed32);
constexpr std::uint32_t kLengthDelimited = length_delimited(1);

// Calls `visit` with every list of values: the one of a feature, or those of the steps of a
// sequence. A step without a kind has no values.
template <class Visit>
Status for_each_list(const Feature& feature, Visit visit) {
  if (!feature.is_sequence) return visit(view_of(feature.message));
  pbf_reader steps(view_of(feature.message));
  for (std::uint64_t step = 0; steps.next();) {
    if (steps.tag_and_type() != kLengthDelimited) {
      steps.skip();
      continue;
    }
    Feature values;
    PENSTOCK_TRY(parse_feature(bytes_of(steps.get_view()), values));
    if (values.kind != FeatureKind::kMissing && values.kind != feature.kind) {
      return corrupt("step ", step, " is of kind ", feature_kind_name(values.kind), ", expected ",
                     feature_kind_name(feature.kind), " as the steps before it");
    }
    if (values.kind != FeatureKind::kMissing) PENSTOCK_TRY(visit(view_of(values.message)));
    ++step;
  }
  return {};
}

std::uint64_t count_list(data_view list, FeatureKind kind) {
  const std::uint32_t one = kind == FeatureKind::kInt64 ? kOneInt : kOneFloat;
  std::uint64_t count = 0;
  for (pbf_reader reader(list); reader.next();) {
    if (reader.tag_and_type() == kLengthDelimited && kind != FeatureKind::kBytes) {
      count += kind == FeatureKind::kInt64 ? reader.get_packed_int64().size()
                                           : reader.get_packed_float().size();
      continue;
    }
    if (reader.tag_and_type() == (kind == FeatureKind::kBytes ? kLengthDelimited : one)) ++count;
    reader.skip();
  }
  return count;
}

// Where numbers are put, one after the other.
template <class Number>
class Output {
 public:
  explicit Output(std::span<Number> out) : out_(out) {}

  // Numbers that find no room are only counted.
  void add(Number value) {
    if (count_ < out_.size()) out_[count_] = value;
    ++count_;
  }

  Status check_count() const {
    if (count_ == out_.size()) return {};
    return corrupt(count_, " values, expected ", out_.size());
  }

 private:
  std::span<Number> out_;
  std::size_t count_ = 0;
};

void read_list(data_view list, Output<std::int64_t>& out) {
  for (pbf_reader reader(list); reader.next();) {
    if (reader.tag_and_type() == kLengthDelimited) {
      for (const std::int64_t value : reader.get_packed_int64()) out.add(value);
    } else if (reader.tag_and_type() == kOneInt) {
      out.add(reader.get_int64());
    } else {
      reader.skip();
    }
  }
}

void read_list(data_view list, Output<float>& out) {
  for (pbf_reader reader(list); reader.next();) {
    if (reader.tag_and_type() == kLengthDelimited) {
      for (const float value : reader.get_packed_float()) out.add(value);
    } else if (reader.tag_and_type() == kOneFloat) {
      out.add(reader.get_float());
    } else {
      reader.skip();
    }
  }
}

Status check_kind(const Feature& feature, FeatureKind expected) {
  if (feature.kind == expected) return {};
  return corrupt("the values are of kind ", feature_kind_name(feature.kind), ", expected ",
                 feature_kind_name(expected));
}

template <class Number>
Status read_numbers(const Feature& feature, FeatureKind kind, std::span<Number> numbers) {
  PENSTOCK_TRY(check_kind(feature, kind));
  Output<Number> out(numbers);
  PENSTOCK_TRY(without_exceptions([&] {
    return for_each_list(feature, [&](data_view list) {
      read_list(list, out);
      return Status{};
    });
  }));
  return out.check_count();
}

FeatureKind kind_of(std::uint32_t tag_and_type) {
  switch (tag_and_type) {
    case length_delimited(1):
      return FeatureKind::kBytes;
    case length_delimited(2):
      return FeatureKind::kFloat;
    case length_delimited(3):
      return FeatureKind::kInt64;
    default:
      return FeatureKind::kMissing;
  }
}

}  // namespace

std::string_view feature_kind_name(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kMissing:
      return "missing";
    case FeatureKind::kBytes:
      return "bytes";
    case FeatureKind::kInt64:
      return "int64";
    case FeatureKind::kFloat:
      return "float";
  }
  return "unknown";
}

Status parse_feature(Bytes message, Feature& out) {
  return without_exceptions([&]() -> Status {
    out = {};
    for (pbf_reader reader(view_of(message)); reader.next();) {
      const FeatureKind kind = kind_of(reader.tag_and_type());
      if (kind == FeatureKind::kMissing) {
        reader.skip();
        continue;
      }
      // Protobuf would join them. Nobody writes that, and a view cannot hold it.
      if (kind == out.kind) return unsupported("the values come in several lists, expected one");
      out = {kind, bytes_of(reader.get_view())};
    }
    return {};
  });
}

Status parse_feature_list(Bytes message, Feature& out) {
  return without_exceptions([&]() -> Status {
    out = {FeatureKind::kMissing, message, true};
    pbf_reader steps(view_of(message));
    while (out.kind == FeatureKind::kMissing && steps.next()) {
      if (steps.tag_and_type() != kLengthDelimited) {
        steps.skip();
        continue;
      }
      Feature step;
      PENSTOCK_TRY(parse_feature(bytes_of(steps.get_view()), step));
      out.kind = step.kind;
    }
    return {};
  });
}

Result<std::uint64_t> count_values(const Feature& feature) {
  std::uint64_t count = 0;
  if (feature.kind == FeatureKind::kMissing) return count;
  PENSTOCK_TRY(without_exceptions([&] {
    return for_each_list(feature, [&](data_view list) {
      count += count_list(list, feature.kind);
      return Status{};
    });
  }));
  return count;
}

Status read_values(const Feature& feature, std::span<std::int64_t> out) {
  return read_numbers(feature, FeatureKind::kInt64, out);
}

Status read_values(const Feature& feature, std::span<float> out) {
  return read_numbers(feature, FeatureKind::kFloat, out);
}

Status read_values(const Feature& feature, std::vector<Bytes>& out) {
  out.clear();
  PENSTOCK_TRY(check_kind(feature, FeatureKind::kBytes));
  return without_exceptions([&] {
    return for_each_list(feature, [&](data_view list) {
      for (pbf_reader reader(list); reader.next();) {
        if (reader.tag_and_type() == kLengthDelimited) {
          out.push_back(bytes_of(reader.get_view()));
        } else {
          reader.skip();
        }
      }
      return Status{};
    });
  });
}

}  // namespace penstock::format
