// A dataset: samples numbered from 0, each a set of named fields.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"
#include "penstock/format/feature.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

enum class FieldKind : std::uint8_t {
  kBytes,    // bytes in storage, found with locate(): an encoded image, a text
  kArray,    // rows of one type and shape in memory, found with row()
  kFeature,  // a value inside a record: locate() finds the record, parse_record() the value in it
};

struct FieldInfo {
  std::string name;
  FieldKind kind = FieldKind::kBytes;
  // Of a kArray, and of a kFeature, which has kI64, kF32, or kU8 for bytes.
  DType dtype = DType::kU8;
  // Of one sample of a kArray; rank 0 for a number. Of a kFeature as the user says; rank 0 if it is
  // not said: any number of values.
  Shape shape;
};

// Where the bytes of one field of one sample lie.
struct Piece {
  std::uint32_t object = 0;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

// Where a sample comes from, for people.
struct Origin {
  std::string source;        // the folder, the shard, "arrays"
  std::uint64_t record = 0;  // the sample's number in its shard
  std::string key;           // "cat/17.jpg", "cat_17"; empty if samples have no names
};

// Bytes of a shard that are no record, found when it was indexed.
struct Damage {
  std::string source;        // the shard
  std::uint64_t offset = 0;  // where it begins
  std::string key;           // of the record that is lost, if its name could be read
  std::string message;
};

struct IndexPlaces;

// Immutable once made; every method is safe from any thread and does no IO.
class Source {
 public:
  virtual ~Source() = default;

  virtual std::uint64_t num_samples() const = 0;
  // How many consecutive samples each shard holds; sums to num_samples(). A folder is one shard.
  virtual std::span<const std::uint64_t> shard_sizes() const = 0;
  // The fields that samples have. A sample may lack a field that is not a kArray.
  virtual std::span<const FieldInfo> fields() const = 0;

  // Of a kBytes field: kNotFound if this sample has no such field. Of a kFeature: the whole record,
  // the same for all features. `field` indexes fields().
  virtual Result<Piece> locate(std::uint64_t sample, int field) const = 0;
  // Every Piece::object is below this: one for each shard, unless the source says otherwise.
  virtual std::uint64_t num_objects() const { return shard_sizes().size(); }
  // The storage and path behind Piece::object. Null if every field is kArray.
  virtual const storage::Storage* storage(std::uint32_t object) const = 0;
  virtual std::string_view object_path(std::uint32_t object) const = 0;
  // How long an object is that holds many samples; 0 if it holds one, or if that is not known.
  virtual std::uint64_t object_bytes(std::uint32_t) const { return 0; }
  // Whether reading an object takes long, whatever its size.
  virtual bool is_remote() const;
  // The folders where entry points of the object's images are kept, valid as long as the source;
  // null: nowhere. Of objects in a row that have the same folders it is the same pointer.
  virtual const IndexPlaces* entry_point_places(std::uint32_t) const { return nullptr; }

  // Checks a sample's record and finds kFeature fields in it: out[i] is that of fields[i], kMissing
  // if the record has none. What is found points into `record`. Fails with kCorrupt.
  virtual Status parse_record(std::uint64_t sample, Bytes record, std::span<const int> fields,
                              std::span<format::Feature> out) const;

  // Of a kArray field: the sample's elements, valid as long as the source.
  virtual Bytes row(std::uint64_t sample, int field) const = 0;

  // For messages: "train/cat/17.jpg", "train-0003.tar: cat_17", "sample 12".
  virtual std::string sample_name(std::uint64_t sample) const = 0;
  virtual Origin origin(std::uint64_t sample) const = 0;
  // Names of the classes by label number; empty if there are none.
  virtual std::span<const std::string> classes() const = 0;
  // Changes when what a sample number means changes.
  virtual std::uint64_t fingerprint() const = 0;

  // What was found broken when the shards were indexed, in their order.
  virtual std::span<const Damage> damages() const { return {}; }
  // Memory that the source holds.
  virtual std::uint64_t memory_bytes() const = 0;
};

// Told while an index is built, from the thread that builds it: every thousand files of a folder,
// every few megabytes of shards. It may be many times a second; who shows it sets the pace.
struct IndexProgress {
  std::string_view what;    // the shard or folder being read
  std::uint64_t done = 0;   // files of a folder; bytes of all shards
  std::uint64_t total = 0;  // 0 if not known
};
using ProgressFn = std::function<void(const IndexProgress&)>;

struct FolderOptions {
  std::string path;
  // "classes": the first folder below path names the class, numbered in sorted order. "none": no
  // labels. Otherwise the path of a .csv (header line; columns file,label) or .jsonl table
  // ({"file":, "label":}), with files relative to `path`.
  std::string labels = "classes";
  bool uses_index_cache = true;
  // Where the index goes if `path` cannot be written; empty: nowhere. The user's is
  // storage::user_cache_folder().
  std::string cache_folder;
};

struct TarOptions {
  std::vector<std::string> urls;  // paths, globs, {000..999}, name-@001000.tar
  bool uses_index_cache = true;
  // Where indexes go if the shards' folder cannot be written, and where compressed shards are
  // unpacked; empty: nowhere.
  std::string cache_folder;
};

struct TfrecordOptions {
  std::vector<std::string> urls;  // as of TarOptions
  // "label:int64", "image/encoded:bytes", "box:float[4]", "matrix:float[3,4]" or [3x4]. Empty: what
  // the first records have.
  std::vector<std::string> features;
  bool checks_crc = true;  // of the data; headers are checked always
  bool uses_index_cache = true;
  std::string cache_folder;  // as of TarOptions
};

// Rows in memory that somebody else owns and keeps alive as long as the source.
struct ArrayColumn {
  FieldInfo info;
  Bytes rows;  // num_samples * info.shape.size() * size_bytes(info.dtype)
};

struct SyntheticOptions {
  std::uint64_t samples = 0;
  Shape shape = {224, 224, 3};
  DType dtype = DType::kU8;
  std::uint64_t classes = 1000;
  std::uint64_t seed = 0;
};

// Which samples remain. What is not given lets all pass; what is given must hold together.
struct FilterOptions {
  // Patterns for Origin::key, several with ';' between: * (also over slashes), ?, [a-z], [!a-z].
  std::string key;
  // Of the bytes in storage: those of `field`, or of all fields together.
  std::uint64_t min_bytes = 0;
  std::optional<std::uint64_t> max_bytes;
  std::string field;
  // The sample's number in `label_field`, a kArray of one i64, is one of `labels` or that of one
  // of `classes`.
  std::vector<std::int64_t> labels;
  std::vector<std::string> classes;
  std::string label_field = "label";
};

// A storage must live as long as the source that is made from it.

// Folder samples have `image` (the file, whatever its extension) and, with labels, `label` (i64
// number).
Result<std::unique_ptr<Source>> make_folder_source(const storage::Storage& storage,
                                                   const FolderOptions& options,
                                                   const ProgressFn& progress = {});
// Tar samples have one field for each extension, by WebDataset's rules.
Result<std::unique_ptr<Source>> make_tar_source(const storage::Storage& storage,
                                                const TarOptions& options,
                                                const ProgressFn& progress = {});
// TFRecord samples have one kFeature field for each feature of their tf.Example or
// tf.SequenceExample.
Result<std::unique_ptr<Source>> make_tfrecord_source(const storage::Storage& storage,
                                                     const TfrecordOptions& options,
                                                     const ProgressFn& progress = {});
Result<std::unique_ptr<Source>> make_array_source(std::vector<ArrayColumn> columns);
// `image` and `label`, cheap to make: a few random images, repeated.
Result<std::unique_ptr<Source>> make_synthetic_source(const SyntheticOptions& options);

// Sources made of sources. Errors count the children from 0.

// The samples of all children, one child after the other. A field of one name must be the same in
// all that have it; arrays must be in all. Class names must be the same everywhere.
Result<std::unique_ptr<Source>> make_concat_source(std::vector<std::unique_ptr<Source>> children);
// Sample i has the fields of sample i of every child: as many samples in each, no name twice, and
// records with features in one child at most. Shards and names are those of the first.
Result<std::unique_ptr<Source>> make_zip_source(std::vector<std::unique_ptr<Source>> children);
// What is left of a source, numbered anew. Fails with kNotFound if that is nothing.
Result<std::unique_ptr<Source>> make_filtered_source(std::unique_ptr<Source> child,
                                                     const FilterOptions& options);

}  // namespace penstock::source
