// Writing TFRecord shards, and looking into them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "penstock/source/source.h"
#include "penstock/source/tfrecord_file.h"
#include "penstock/storage/cache_folder.h"
#include "penstock/storage/catalog.h"

namespace penstock::python {
namespace {

using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// A list of bytes, or one of the arrays above.
using NamedValues = std::tuple<std::string, nb::object>;

format::FeatureValues values_of(const nb::object& values) {
  Integers integers;
  if (nb::try_cast(values, integers, false)) {
    return std::vector(integers.data(), integers.data() + integers.size());
  }
  Floats floats;
  if (nb::try_cast(values, floats, false)) {
    return std::vector(floats.data(), floats.data() + floats.size());
  }
  std::vector<Bytes> all;
  for (const nb::handle value : nb::cast<nb::list>(values)) {
    const auto bytes = nb::cast<nb::bytes>(value);
    all.emplace_back(static_cast<const std::byte*>(bytes.data()), bytes.size());
  }
  return all;
}

// A shard with the storage it lies in. After close() there is no file.
class TfrecordWriter {
 public:
  TfrecordWriter(const std::string& path, format::Compression compression)
      : storage_(storage::make_storage()),
        file_(check(source::TfrecordFile::create(*storage_, path, compression))) {}

  // The values stay the caller's, who waits, so that other threads may run.
  void write(const std::vector<NamedValues>& features) {
    if (!file_) raise(invalid_argument("the file is closed, expected write() before that"));
    std::vector<format::FeatureInput> inputs;
    inputs.reserve(features.size());
    for (const auto& [name, values] : features) inputs.push_back({name, values_of(values)});
    check(unlocked([&] { return file_->write(inputs); }));
  }

  void close(bool keeps) {
    if (file_ && keeps) check(unlocked([&] { return file_->commit(); }));
    file_.reset();
  }

 private:
  template <class Work>
  static Status unlocked(Work work) {
    const nb::gil_scoped_release released;
    return work();
  }

  std::unique_ptr<storage::Storage> storage_;
  std::optional<source::TfrecordFile> file_;
};

nb::list list_of(const format::Feature& feature) {
  nb::list out;
  const std::uint64_t count = check(format::count_values(feature));
  if (feature.kind == format::FeatureKind::kInt64) {
    std::vector<std::int64_t> values(count);
    check(format::read_values(feature, values));
    for (const std::int64_t value : values) out.append(value);
  } else if (feature.kind == format::FeatureKind::kFloat) {
    std::vector<float> values(count);
    check(format::read_values(feature, values));
    for (const float value : values) out.append(value);
  } else {
    std::vector<Bytes> values;
    check(format::read_values(feature, values));
    for (const Bytes value : values) out.append(nb::bytes(value.data(), value.size()));
  }
  return out;
}

nb::dict example_of(const source::Source& source, std::uint64_t sample) {
  const source::Piece piece = check(source.locate(sample, 0));
  std::vector<std::byte> record(piece.size_bytes);
  storage::ReadRequest request{
      .path = source.object_path(piece.object), .offset = piece.offset, .out = record};
  source.storage(piece.object)->read({&request, 1});
  check(request.status);
  std::vector<int> fields(source.fields().size());
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = static_cast<int>(i);
  std::vector<format::Feature> features(fields.size());
  check(source.parse_record(sample, record, fields, features).at(source.sample_name(sample)));
  nb::dict out;
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (features[i].kind == format::FeatureKind::kMissing) continue;
    const std::string& name = source.fields()[i].name;
    out[nb::str(name.data(), name.size())] = list_of(features[i]);
  }
  return out;
}

// Every record as a dict, and what is broken. All of it in memory.
std::tuple<nb::list, std::vector<std::string>> read_examples(
    const std::string& path, const std::vector<std::string>& features, bool check_crc) {
  const auto storage = storage::make_storage();
  const auto source =
      check(source::make_tfrecord_source(*storage, {.urls = {path},
                                                    .features = features,
                                                    .checks_crc = check_crc,
                                                    .uses_index_cache = false,
                                                    .cache_folder = storage::user_cache_folder()}));
  nb::list examples;
  for (std::uint64_t i = 0; i < source->num_samples(); ++i) {
    examples.append(example_of(*source, i));
  }
  std::vector<std::string> damages;
  for (const source::Damage& damage : source->damages()) damages.push_back(damage.message);
  return {examples, damages};
}

}  // namespace

void bind_tfrecord(nb::module_& m) {
  nb::enum_<format::Compression>(m, "Compression")
      .value("NONE", format::Compression::kNone)
      .value("GZIP", format::Compression::kGzip)
      .value("ZLIB", format::Compression::kZlib);
  nb::class_<TfrecordWriter>(m, "TfrecordWriter", "A TFRecord shard that is being written.")
      .def(nb::init<const std::string&, format::Compression>(), nb::arg("path"),
           nb::arg("compression"))
      .def("write", &TfrecordWriter::write, nb::arg("features"), "Write one tf.Example.")
      .def("close", &TfrecordWriter::close, nb::arg("keeps"), "Keep what was written, or do not.");
  m.def("read_examples", &read_examples, nb::arg("path"), nb::arg("features"), nb::arg("check_crc"),
        "Every record of a TFRecord shard as a dict, and what is broken in it.");
}

}  // namespace penstock::python
