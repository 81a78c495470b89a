// Several sources side by side: sample i has the fields of all.
#include <algorithm>
#include <optional>
#include <utility>

#include "penstock/source/children.h"

namespace penstock::source {
namespace {

// A field here is a field of one child.
struct FieldPlace {
  std::size_t child = 0;
  int field = 0;
};

struct ZippedFields {
  std::vector<FieldInfo> fields;
  std::vector<FieldPlace> places;
};

Status check_counts(const Children& children) {
  for (std::size_t child = 1; child < children.size(); ++child) {
    if (children[child].num_samples() == children[0].num_samples()) continue;
    return invalid_argument(children.name(0), " has ", children[0].num_samples(), " samples and ",
                            children.name(child), " has ", children[child].num_samples(),
                            ", expected the same number");
  }
  return {};
}

// A sample that was lost would shift all behind it against those of the other children.
Status check_damages(const Children& children) {
  if (children.damages().empty()) return {};
  const Damage& first = children.damages().front();
  return corrupt(first.source, ": ", first.message,
                 "; samples of a damaged source cannot be paired with those of another");
}

Result<ZippedFields> zip_fields(const Children& children) {
  ZippedFields zipped;
  for (std::size_t child = 0; child < children.size(); ++child) {
    const auto infos = children[child].fields();
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const auto same = std::ranges::find(zipped.fields, infos[i].name, &FieldInfo::name);
      if (same != zipped.fields.end()) {
        const auto number = static_cast<std::size_t>(same - zipped.fields.begin());
        return invalid_argument("field ", infos[i].name, " is in ",
                                children.name(zipped.places[number].child), " and in ",
                                children.name(child), ", expected every name once");
      }
      zipped.fields.push_back(infos[i]);
      zipped.places.push_back({child, static_cast<int>(i)});
    }
  }
  return zipped;
}

// The child whose records have features; a parsed record does not say which child's it is.
Result<std::size_t> child_with_records(const Children& children) {
  std::optional<std::size_t> found;
  for (std::size_t child = 0; child < children.size(); ++child) {
    const auto infos = children[child].fields();
    if (std::ranges::find(infos, FieldKind::kFeature, &FieldInfo::kind) == infos.end()) continue;
    if (found) {
      return unsupported(children.name(*found), " and ", children.name(child),
                         " both hold records with features, expected one at most");
    }
    found = child;
  }
  return found.value_or(0);
}

class ZipSource final : public Source {
 public:
  ZipSource(Children children, ZippedFields zipped, std::size_t with_records)
      : children_(std::move(children)),
        fields_(std::move(zipped.fields)),
        places_(std::move(zipped.places)),
        with_records_(with_records) {}

  std::uint64_t num_samples() const override { return children_[0].num_samples(); }
  std::span<const std::uint64_t> shard_sizes() const override { return children_[0].shard_sizes(); }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    const FieldPlace place = places_[static_cast<std::size_t>(field)];
    return children_.renumbered(children_[place.child].locate(sample, place.field), place.child);
  }
  std::uint64_t num_objects() const override { return children_.num_objects(); }
  const storage::Storage* storage(std::uint32_t object) const override {
    return children_.storage(object);
  }
  std::string_view object_path(std::uint32_t object) const override {
    return children_.object_path(object);
  }
  std::uint64_t object_bytes(std::uint32_t object) const override {
    return children_.object_bytes(object);
  }
  bool is_remote() const override { return children_.is_remote(); }
  const IndexPlaces* entry_point_places(std::uint32_t object) const override {
    return children_.entry_point_places(object);
  }

  Status parse_record(std::uint64_t sample, Bytes record, std::span<const int> fields,
                      std::span<format::Feature> out) const override {
    std::vector<int> own_fields;
    own_fields.reserve(fields.size());
    for (const int field : fields) {
      own_fields.push_back(places_[static_cast<std::size_t>(field)].field);
    }
    return children_[with_records_].parse_record(sample, record, own_fields, out);
  }

  Bytes row(std::uint64_t sample, int field) const override {
    const FieldPlace place = places_[static_cast<std::size_t>(field)];
    return children_[place.child].row(sample, place.field);
  }

  std::string sample_name(std::uint64_t sample) const override {
    return children_[0].sample_name(sample);
  }
  Origin origin(std::uint64_t sample) const override { return children_[0].origin(sample); }
  // Of the first child that has any.
  std::span<const std::string> classes() const override {
    for (std::size_t child = 0; child < children_.size(); ++child) {
      if (!children_[child].classes().empty()) return children_[child].classes();
    }
    return {};
  }
  std::uint64_t fingerprint() const override { return children_.fingerprint("zip"); }
  std::uint64_t memory_bytes() const override { return children_.memory_bytes(); }

 private:
  Children children_;
  std::vector<FieldInfo> fields_;
  std::vector<FieldPlace> places_;  // of each field
  std::size_t with_records_;
};

}  // namespace

Result<std::unique_ptr<Source>> make_zip_source(std::vector<std::unique_ptr<Source>> sources) {
  PENSTOCK_TRY_ASSIGN(Children children, Children::make(std::move(sources)));
  PENSTOCK_TRY(check_damages(children));
  PENSTOCK_TRY(check_counts(children));
  PENSTOCK_TRY_ASSIGN(ZippedFields zipped, zip_fields(children));
  PENSTOCK_TRY_ASSIGN(const std::size_t with_records, child_with_records(children));
  return std::unique_ptr<Source>(
      std::make_unique<ZipSource>(std::move(children), std::move(zipped), with_records));
}

}  // namespace penstock::source
