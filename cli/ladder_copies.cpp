// The samples of a source once more, in other formats, codecs and sizes.
#include "ladder_copies.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <span>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/decode/png/encode.h"
#include "penstock/format/example_writer.h"
#include "penstock/format/tar_writer.h"
#include "penstock/format/tfrecord_writer.h"
#include "penstock/pipeline/plan.h"
#include "penstock/storage/file_writer.h"
#include "temporary_folder.h"

namespace penstock::cli {
namespace {

// The job's fields in the order of the source, `count` samples of them, once.
Result<std::unique_ptr<deliver::Run>> start_once(const Job& job, OptionText reader,
                                                 std::uint64_t count) {
  PENSTOCK_TRY_ASSIGN(pipeline::Spec spec, job_spec(job));
  spec.fields[0].reader = std::move(reader);
  spec.shuffle.reset();
  spec.take = count;
  spec.epochs = 1;
  spec.batch = {16, "keep"};
  PENSTOCK_TRY_ASSIGN(auto plan, pipeline::make_plan(spec, {.source = job.inputs}));
  return deliver::Run::start(std::move(plan), job.run);
}

std::int64_t label_of(const batch::Batch& batch, std::size_t index) {
  std::int64_t label = 0;
  const bool has_label = batch.layout.fields().size() > 1;
  if (has_label) std::memcpy(&label, batch.array(1).data() + index * sizeof label, sizeof label);
  return label;
}

Status write_file(const std::string& path, Bytes bytes) {
  PENSTOCK_TRY_ASSIGN(const auto writer, storage::make_file_writer(path));
  PENSTOCK_TRY(writer->append(bytes));
  return writer->commit();
}

}  // namespace

Result<std::vector<EncodedSample>> read_encoded(const Job& job, std::uint64_t count) {
  Job plain = job;
  plain.ops.clear();
  PENSTOCK_TRY_ASSIGN(const auto run, start_once(plain, {"bytes", {}}, count));
  std::vector<EncodedSample> samples;
  samples.reserve(count);
  while (true) {
    PENSTOCK_TRY(check_interrupted());
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    if (batch == nullptr) return samples;
    const auto offsets = batch->offsets(0);
    for (std::size_t i = 0; i < batch->count; ++i) {
      const auto begin = static_cast<std::size_t>(offsets[i]);
      const Bytes image =
          batch->array(0).subspan(begin, static_cast<std::size_t>(offsets[i + 1]) - begin);
      samples.push_back({{image.begin(), image.end()}, label_of(*batch, i)});
    }
  }
}

// Decoders look at the bytes of an image, not at its name: all are called jpg.
Result<pipeline::SourceSpec> write_folder(const std::string& folder,
                                          const std::vector<EncodedSample>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    PENSTOCK_TRY(check_interrupted());
    PENSTOCK_TRY(write_file(fmt::format("{}/class_{}/{:06}.jpg", folder, samples[i].label, i),
                            samples[i].image));
  }
  return pipeline::SourceSpec{"folder", {folder}, {}, {}};
}

Result<pipeline::SourceSpec> write_tar(const std::string& folder,
                                       const std::vector<EncodedSample>& samples) {
  std::vector<std::byte> archive;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::string label = fmt::format("{}", samples[i].label);
    PENSTOCK_TRY(format::append_tar_member(archive, fmt::format("{:06}.jpg", i), samples[i].image));
    PENSTOCK_TRY(format::append_tar_member(archive, fmt::format("{:06}.cls", i),
                                           std::as_bytes(std::span(label))));
  }
  const std::vector<std::byte> end = format::tar_end();
  archive.insert(archive.end(), end.begin(), end.end());
  const std::string path = folder + "/copy.tar";
  PENSTOCK_TRY(write_file(path, archive));
  return pipeline::SourceSpec{"tar", {path}, {}, {}};
}

Result<pipeline::SourceSpec> write_tfrecord(const std::string& folder,
                                            const std::vector<EncodedSample>& samples) {
  std::vector<std::byte> shard;
  for (const EncodedSample& sample : samples) {
    const format::FeatureInput features[] = {
        {"image/encoded", std::vector<Bytes>{sample.image}},
        {"image/class/label", std::vector<std::int64_t>{sample.label}}};
    PENSTOCK_TRY_ASSIGN(const std::string example, format::encode_example(features));
    format::append_tfrecord(shard, std::as_bytes(std::span(example)));
  }
  const std::string path = folder + "/copy.tfrecord";
  PENSTOCK_TRY(write_file(path, shard));
  return pipeline::SourceSpec{"tfrecord", {path}, {}, {}};
}

std::vector<source::ArrayColumn> DecodedImages::columns() const {
  return {{{"image", source::FieldKind::kArray, DType::kU8, Shape{side, side, 3}}, pixels},
          {{"label", source::FieldKind::kArray, DType::kI64, Shape{}},
           std::as_bytes(std::span(labels))}};
}

Result<DecodedImages> decode_resized(const Job& job, int side, std::uint64_t count) {
  Job resizing = job;
  resizing.ops = {{"resize", {{"size", fmt::format("{0},{0}", side)}}}};
  PENSTOCK_TRY_ASSIGN(const auto run,
                      start_once(resizing, {"image", {{"dtype", "u8"}, {"layout", "HWC"}}}, count));
  DecodedImages images{.side = side, .pixels = {}, .labels = {}};
  images.pixels.reserve(count * static_cast<std::uint64_t>(side) *
                        static_cast<std::uint64_t>(side) * 3);
  while (true) {
    PENSTOCK_TRY(check_interrupted());
    PENSTOCK_TRY_ASSIGN(const auto batch, run->next());
    if (batch == nullptr) return images;
    const Bytes pixels = batch->array(0);
    images.pixels.insert(images.pixels.end(), pixels.begin(), pixels.end());
    for (std::size_t i = 0; i < batch->count; ++i) images.labels.push_back(label_of(*batch, i));
  }
}

Result<std::vector<EncodedSample>> encode_all(const DecodedImages& images, Encoding encoding) {
  const auto stride = static_cast<std::size_t>(images.side) * 3;
  std::vector<EncodedSample> samples;
  samples.reserve(images.labels.size());
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    PENSTOCK_TRY(check_interrupted());
    const std::byte* begin =
        images.pixels.data() + i * stride * static_cast<std::size_t>(images.side);
    const ImageView view{reinterpret_cast<const std::uint8_t*>(begin), images.side, images.side, 3,
                         stride};
    PENSTOCK_TRY_ASSIGN(auto image, encoding == Encoding::kPng ? decode::encode_png(view)
                                                               : decode::encode_jpeg(view, {}));
    samples.push_back({std::move(image), images.labels[i]});
  }
  return samples;
}

}  // namespace penstock::cli
