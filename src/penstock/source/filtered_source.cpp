// Some of the samples of another source, chosen by what is known without reading them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "penstock/base/hash.h"
#include "penstock/source/children.h"
#include "penstock/source/source.h"
#include "penstock/source/urls.h"

namespace penstock::source {
namespace {

// FilterOptions against what a source has.
struct Predicate {
  std::vector<std::string> patterns;  // none: every key
  std::vector<int> sized_fields;      // whose bytes count together; none: every size
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<int> label_field;    // none: every label
  std::vector<std::int64_t> labels;  // sorted
};

std::vector<std::string> split_patterns(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    if (end > 0) patterns.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return patterns;
}

// Fields that lie in storage. All features of a record are the same bytes: one stands for them.
Result<std::vector<int>> sized_fields(const Source& source, const std::string& name) {
  std::vector<int> found;
  bool has_record = false;
  const auto infos = source.fields();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].kind == FieldKind::kArray || (!name.empty() && infos[i].name != name)) continue;
    if (infos[i].kind == FieldKind::kFeature && std::exchange(has_record, true)) continue;
    found.push_back(static_cast<int>(i));
  }
  if (!found.empty()) return found;
  if (name.empty())
    return invalid_argument("no field lies in storage, so that samples have no bytes");
  return invalid_argument("field is ", name,
                          ", expected one in storage; there are: ", list_fields(infos));
}

Result<int> label_field(const Source& source, const std::string& name) {
  const auto infos = source.fields();
  const auto it = std::ranges::find(infos, name, &FieldInfo::name);
  if (it == infos.end()) {
    return invalid_argument("label_field is ", name, ", expected one of: ", list_fields(infos));
  }
  if (it->kind != FieldKind::kArray || it->dtype != DType::kI64 || it->shape.rank() != 0) {
    return invalid_argument("label_field is ", name, ", which is ", describe_field(*it),
                            ", expected numbers that are known without reading: an i64 for each "
                            "sample");
  }
  return static_cast<int>(it - infos.begin());
}

Result<std::vector<std::int64_t>> label_numbers(const Source& source,
                                                const FilterOptions& options) {
  std::vector<std::int64_t> numbers = options.labels;
  const auto classes = source.classes();
  for (const std::string& name : options.classes) {
    const auto it = std::ranges::find(classes, name);
    if (it == classes.end()) {
      return invalid_argument("no class ", name, " among the ", classes.size(), " of the source",
                              classes.empty() ? "" : concat(", the first is ", classes.front()));
    }
    numbers.push_back(it - classes.begin());
  }
  std::ranges::sort(numbers);
  return numbers;
}

Result<Predicate> make_predicate(const Source& source, const FilterOptions& options) {
  Predicate predicate;
  predicate.patterns = split_patterns(options.key);
  predicate.min_bytes = options.min_bytes;
  if (options.max_bytes) predicate.max_bytes = *options.max_bytes;
  if (predicate.min_bytes > predicate.max_bytes) {
    return invalid_argument("min_bytes is ", predicate.min_bytes, " and max_bytes ",
                            predicate.max_bytes, ", expected no more than that");
  }
  if (options.min_bytes > 0 || options.max_bytes) {
    PENSTOCK_TRY_ASSIGN(predicate.sized_fields, sized_fields(source, options.field));
  }
  if (!options.labels.empty() || !options.classes.empty()) {
    PENSTOCK_TRY_ASSIGN(predicate.label_field, label_field(source, options.label_field));
    PENSTOCK_TRY_ASSIGN(predicate.labels, label_numbers(source, options));
  }
  return predicate;
}

bool has_key(const Predicate& predicate, const Source& source, std::uint64_t sample) {
  if (predicate.patterns.empty()) return true;
  const std::string key = source.origin(sample).key;
  return std::ranges::any_of(predicate.patterns, [&](const std::string& pattern) {
    return matches_pattern(pattern, key);
  });
}

bool has_size(const Predicate& predicate, const Source& source, std::uint64_t sample) {
  if (predicate.sized_fields.empty()) return true;
  std::uint64_t total = 0;
  for (const int field : predicate.sized_fields) {
    const auto piece = source.locate(sample, field);
    if (piece.ok()) total += piece->size_bytes;
  }
  return total >= predicate.min_bytes && total <= predicate.max_bytes;
}

bool has_label(const Predicate& predicate, const Source& source, std::uint64_t sample) {
  if (!predicate.label_field) return true;
  const Bytes row = source.row(sample, *predicate.label_field);
  std::int64_t label = 0;
  if (row.size() != sizeof label) return false;
  std::memcpy(&label, row.data(), sizeof label);
  return std::ranges::binary_search(predicate.labels, label);
}

// Sample numbers in rising order; four bytes each while they fit.
class KeptSamples {
 public:
  explicit KeptSamples(std::uint64_t num_samples) {
    if (num_samples > std::numeric_limits<std::uint32_t>::max()) {
      numbers_ = std::vector<std::uint64_t>();
    }
  }

  void push_back(std::uint64_t sample) {
    std::visit(
        [&]<class Number>(std::vector<Number>& numbers) {
          numbers.push_back(static_cast<Number>(sample));
        },
        numbers_);
  }
  void shrink() {
    std::visit([](auto& numbers) { numbers.shrink_to_fit(); }, numbers_);
  }
  std::uint64_t operator[](std::uint64_t i) const {
    return std::visit([&](const auto& numbers) { return std::uint64_t{numbers[i]}; }, numbers_);
  }
  std::uint64_t size() const {
    return std::visit([](const auto& numbers) { return std::uint64_t{numbers.size()}; }, numbers_);
  }
  std::uint64_t hash(std::uint64_t seed) const {
    for (std::uint64_t i = 0; i < size(); ++i) seed = combine_hash(seed, (*this)[i]);
    return seed;
  }
  std::uint64_t memory_bytes() const {
    return std::visit(
        [](const auto& numbers) { return std::uint64_t{numbers.capacity() * sizeof(numbers[0])}; },
        numbers_);
  }

 private:
  std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>> numbers_;
};

struct Kept {
  KeptSamples samples;
  std::vector<std::uint64_t> shard_sizes;
};

Kept keep(const Source& source, const Predicate& predicate) {
  Kept kept{KeptSamples(source.num_samples()), {}};
  std::uint64_t sample = 0;
  for (const std::uint64_t size : source.shard_sizes()) {
    const std::uint64_t before = kept.samples.size();
    for (const std::uint64_t end = sample + size; sample < end; ++sample) {
      // The key last: it is a new string each time.
      if (has_label(predicate, source, sample) && has_size(predicate, source, sample) &&
          has_key(predicate, source, sample)) {
        kept.samples.push_back(sample);
      }
    }
    kept.shard_sizes.push_back(kept.samples.size() - before);
  }
  kept.samples.shrink();
  return kept;
}

class FilteredSource final : public Source {
 public:
  FilteredSource(std::unique_ptr<Source> child, Kept kept)
      : child_(std::move(child)),
        samples_(std::move(kept.samples)),
        shard_sizes_(std::move(kept.shard_sizes)),
        fingerprint_(samples_.hash(combine_hash(hash_text("filter"), child_->fingerprint()))) {}

  std::uint64_t num_samples() const override { return samples_.size(); }
  std::span<const std::uint64_t> shard_sizes() const override { return shard_sizes_; }
  std::span<const FieldInfo> fields() const override { return child_->fields(); }

  Result<Piece> locate(std::uint64_t sample, int field) const override {
    return child_->locate(samples_[sample], field);
  }
  std::uint64_t num_objects() const override { return child_->num_objects(); }
  const storage::Storage* storage(std::uint32_t object) const override {
    return child_->storage(object);
  }
  std::string_view object_path(std::uint32_t object) const override {
    return child_->object_path(object);
  }
  std::uint64_t object_bytes(std::uint32_t object) const override {
    return child_->object_bytes(object);
  }
  bool is_remote() const override { return child_->is_remote(); }
  const IndexPlaces* entry_point_places(std::uint32_t object) const override {
    return child_->entry_point_places(object);
  }

  Status parse_record(std::uint64_t sample, Bytes record, std::span<const int> fields,
                      std::span<format::Feature> out) const override {
    return child_->parse_record(samples_[sample], record, fields, out);
  }

  Bytes row(std::uint64_t sample, int field) const override {
    return child_->row(samples_[sample], field);
  }

  std::string sample_name(std::uint64_t sample) const override {
    return child_->sample_name(samples_[sample]);
  }
  Origin origin(std::uint64_t sample) const override { return child_->origin(samples_[sample]); }
  std::span<const std::string> classes() const override { return child_->classes(); }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::span<const Damage> damages() const override { return child_->damages(); }
  std::uint64_t memory_bytes() const override {
    return child_->memory_bytes() + samples_.memory_bytes() +
           shard_sizes_.capacity() * sizeof(std::uint64_t);
  }

 private:
  std::unique_ptr<Source> child_;
  KeptSamples samples_;
  std::vector<std::uint64_t> shard_sizes_;
  std::uint64_t fingerprint_;
};

}  // namespace

Result<std::unique_ptr<Source>> make_filtered_source(std::unique_ptr<Source> child,
                                                     const FilterOptions& options) {
  PENSTOCK_TRY_ASSIGN(const Predicate predicate, make_predicate(*child, options));
  Kept kept = keep(*child, predicate);
  if (kept.samples.size() == 0) {
    return not_found("none of ", child->num_samples(), " samples is left, the first is ",
                     child->sample_name(0));
  }
  return std::unique_ptr<Source>(
      std::make_unique<FilteredSource>(std::move(child), std::move(kept)));
}

}  // namespace penstock::source
