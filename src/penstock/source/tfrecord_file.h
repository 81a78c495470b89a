// Writing TFRecord shards.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/format/compress.h"
#include "penstock/format/example_writer.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// A shard of tf.Examples that appears, whole, with commit(); without it nothing remains. Not
// thread-safe. Of no use after a failure.
class TfrecordFile {
 public:
  // `compression`: kNone, kGzip or kZlib.
  static Result<TfrecordFile> create(const storage::Storage& storage, std::string_view path,
                                     format::Compression compression);

  // One record.
  Status write(std::span<const format::FeatureInput> features);
  // The last call.
  Status commit();

 private:
  TfrecordFile(std::unique_ptr<storage::ObjectWriter> writer,
               std::unique_ptr<format::Compressor> compressor)
      : writer_(std::move(writer)), compressor_(std::move(compressor)) {}

  Status flush();

  std::unique_ptr<storage::ObjectWriter> writer_;
  std::unique_ptr<format::Compressor> compressor_;  // null: none
  std::vector<std::byte> plain_;                    // not written yet
  std::vector<std::byte> packed_;
};

}  // namespace penstock::source
