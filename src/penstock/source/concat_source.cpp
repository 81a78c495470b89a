// Several sources one after the other.
#include <algorithm>
#include <optional>
#include <utility>

#include "penstock/source/children.h"

namespace penstock::source {
namespace {

constexpr int kLacking = -1;

// The fields of all children by name, in the order they are first met, and where each child has
// them.
struct JoinedFields {
  std::vector<FieldInfo> fields;
  std::vector<std::vector<int>> numbers;  // of each child: its number of each field, or kLacking
};

bool is_same_kind(const FieldInfo& a, const FieldInfo& b) {
  if (a.kind != b.kind) return false;
  return a.kind != FieldKind::kArray || (a.dtype == b.dtype && a.shape == b.shape);
}

int number_of(std::span<const FieldInfo> fields, std::string_view name) {
  const auto it = std::ranges::find(fields, name, &FieldInfo::name);
  return it == fields.end() ? kLacking : static_cast<int>(it - fields.begin());
}

// One field against every child.
Status check_field(const Children& children, const FieldInfo& field, std::size_t first_child,
                   std::span<const std::vector<int>> numbers, std::size_t number) {
  for (std::size_t child = 0; child < children.size(); ++child) {
    const int own = numbers[child][number];
    if (own == kLacking) {
      if (field.kind != FieldKind::kArray) continue;
      return invalid_argument(children.name(child), " has no field ", field.name, ", which is ",
                              describe_field(field), " in ", children.name(first_child),
                              "; it has: ", list_fields(children[child].fields()));
    }
    const FieldInfo& other = children[child].fields()[static_cast<std::size_t>(own)];
    if (!is_same_kind(field, other)) {
      return invalid_argument("field ", field.name, " is ", describe_field(field), " in ",
                              children.name(first_child), " and ", describe_field(other), " in ",
                              children.name(child), ", expected the same");
    }
  }
  return {};
}

Result<JoinedFields> join_fields(const Children& children) {
  JoinedFields joined;
  std::vector<std::size_t> first_children;
  for (std::size_t child = 0; child < children.size(); ++child) {
    for (const FieldInfo& field : children[child].fields()) {
      if (number_of(joined.fields, field.name) != kLacking) continue;
      joined.fields.push_back(field);
      first_children.push_back(child);
    }
  }
  for (std::size_t child = 0; child < children.size(); ++child) {
    std::vector<int>& numbers = joined.numbers.emplace_back();
    for (const FieldInfo& field : joined.fields) {
      numbers.push_back(number_of(children[child].fields(), field.name));
    }
  }
  for (std::size_t i = 0; i < joined.fields.size(); ++i) {
    PENSTOCK_TRY(check_field(children, joined.fields[i], first_children[i], joined.numbers, i));
  }
  return joined;
}

// The child whose class names hold for all; nullopt if none has any.
Result<std::optional<std::size_t>> child_with_classes(const Children& children) {
  std::optional<std::size_t> first;
  for (std::size_t child = 0; child < children.size(); ++child) {
    const auto own = children[child].classes();
    if (own.empty()) continue;
    if (!first) first = child;
    const auto expected = children[*first].classes();
    const auto [a, b] = std::ranges::mismatch(expected, own);
    if (a == expected.end() && b == own.end()) continue;
    return invalid_argument("class ", a - expected.begin(), " is ",
                            a == expected.end() ? "missing" : *a, " in ", children.name(*first),
                            " and ", b == own.end() ? "missing" : *b, " in ", children.name(child),
                            ", expected the same classes, or labels would clash");
  }
  return first;
}

class ConcatSource final : public Source {
 public:
  ConcatSource(Children children, JoinedFields joined, std::optional<std::size_t> with_classes)
      : children_(std::move(children)),
        fields_(std::move(joined.fields)),
        numbers_(std::move(joined.numbers)),
        with_classes_(with_classes) {
    for (std::size_t child = 0; child < children_.size(); ++child) {
      const Source& source = children_[child];
      const auto sizes = source.shard_sizes();
      shard_sizes_.insert(shard_sizes_.end(), sizes.begin(), sizes.end());
      num_samples_ += source.num_samples();
      ends_.push_back(num_samples_);
      const auto features =
          std::ranges::find(source.fields(), FieldKind::kFeature, &FieldInfo::kind);
      records_.push_back(features == source.fields().end()
                             ? kLacking
                             : static_cast<int>(features - source.fields().begin()));
    }
  }

  std::uint64_t num_samples() const override { return num_samples_; }
  std::span<const std::uint64_t> shard_sizes() const override { return shard_sizes_; }
  std::span<const FieldInfo> fields() const override { return fields_; }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    const Place place = place_of(sample);
    const Source& child = children_[place.child];
    const FieldInfo& info = fields_[static_cast<std::size_t>(field)];
    int own = numbers_[place.child][static_cast<std::size_t>(field)];
    // A record is the same for all features, also for one that it has not.
    if (own == kLacking && info.kind == FieldKind::kFeature) own = records_[place.child];
    if (own == kLacking) {
      return not_found(child.sample_name(place.sample), ": no field ", info.name,
                       ", it has: ", list_fields(child.fields()));
    }
    return children_.renumbered(child.locate(place.sample, own), place.child);
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
    const Place place = place_of(sample);
    std::vector<int> own_fields;
    own_fields.reserve(fields.size());
    for (const int field : fields) {
      const int own = numbers_[place.child][static_cast<std::size_t>(field)];
      if (own != kLacking) own_fields.push_back(own);
    }
    PENSTOCK_TRY(children_[place.child].parse_record(place.sample, record, own_fields,
                                                     out.first(own_fields.size())));
    // Apart, from the last: features that the child has not lie between those that it has.
    std::size_t next = own_fields.size();
    for (std::size_t i = fields.size(); i > next; --i) {
      const int own = numbers_[place.child][static_cast<std::size_t>(fields[i - 1])];
      out[i - 1] = own == kLacking ? format::Feature{} : out[--next];
    }
    return {};
  }

  Bytes row(std::uint64_t sample, int field) const override {
    const Place place = place_of(sample);
    return children_[place.child].row(place.sample,
                                      numbers_[place.child][static_cast<std::size_t>(field)]);
  }

  std::string sample_name(std::uint64_t sample) const override {
    const Place place = place_of(sample);
    return children_[place.child].sample_name(place.sample);
  }
  Origin origin(std::uint64_t sample) const override {
    const Place place = place_of(sample);
    return children_[place.child].origin(place.sample);
  }
  std::span<const std::string> classes() const override {
    return with_classes_ ? children_[*with_classes_].classes() : std::span<const std::string>{};
  }
  std::uint64_t fingerprint() const override { return children_.fingerprint("concat"); }
  std::span<const Damage> damages() const override { return children_.damages(); }
  std::uint64_t memory_bytes() const override {
    return children_.memory_bytes() +
           (shard_sizes_.capacity() + ends_.capacity()) * sizeof(std::uint64_t);
  }

 private:
  struct Place {
    std::size_t child = 0;
    std::uint64_t sample = 0;  // in the child
  };

  Place place_of(std::uint64_t sample) const {
    const auto it = std::ranges::upper_bound(ends_, sample);
    const auto child = static_cast<std::size_t>(it - ends_.begin());
    return {child, sample - (child == 0 ? 0 : ends_[child - 1])};
  }

  Children children_;
  std::vector<FieldInfo> fields_;
  std::vector<std::vector<int>> numbers_;  // as in JoinedFields
  std::vector<int> records_;               // of each child: any feature, or kLacking
  std::optional<std::size_t> with_classes_;
  std::vector<std::uint64_t> shard_sizes_;
  std::vector<std::uint64_t> ends_;  // the first sample behind each child
  std::uint64_t num_samples_ = 0;
};

}  // namespace

Result<std::unique_ptr<Source>> make_concat_source(std::vector<std::unique_ptr<Source>> sources) {
  PENSTOCK_TRY_ASSIGN(Children children, Children::make(std::move(sources)));
  PENSTOCK_TRY_ASSIGN(JoinedFields joined, join_fields(children));
  PENSTOCK_TRY_ASSIGN(const std::optional<std::size_t> with_classes, child_with_classes(children));
  return std::unique_ptr<Source>(
      std::make_unique<ConcatSource>(std::move(children), std::move(joined), with_classes));
}

}  // namespace penstock::source
