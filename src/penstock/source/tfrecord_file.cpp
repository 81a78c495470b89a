// Gathers records and writes them a megabyte at a time.
#include "penstock/source/tfrecord_file.h"

#include <string>
#include <utility>

#include "penstock/format/tfrecord_writer.h"

namespace penstock::source {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;

}  // namespace

Result<TfrecordFile> TfrecordFile::create(const storage::Storage& storage, std::string_view path,
                                          format::Compression compression) {
  std::unique_ptr<format::Compressor> compressor;
  if (compression != format::Compression::kNone) {
    PENSTOCK_TRY_ASSIGN(compressor, format::make_compressor(compression));
  }
  PENSTOCK_TRY_ASSIGN(auto writer, storage.create(path));
  return TfrecordFile(std::move(writer), std::move(compressor));
}

Status TfrecordFile::write(std::span<const format::FeatureInput> features) {
  PENSTOCK_TRY_ASSIGN(const std::string example, format::encode_example(features));
  format::append_tfrecord(plain_, std::as_bytes(std::span(example)));
  return plain_.size() < kWriteBytes ? Status{} : flush();
}

Status TfrecordFile::commit() {
  PENSTOCK_TRY(flush());
  if (compressor_ != nullptr) {
    PENSTOCK_TRY(compressor_->finish(packed_));
    PENSTOCK_TRY(writer_->append(packed_));
  }
  return writer_->commit();
}

Status TfrecordFile::flush() {
  if (compressor_ != nullptr) {
    PENSTOCK_TRY(compressor_->append(plain_, packed_));
    PENSTOCK_TRY(writer_->append(packed_));
    packed_.clear();
  } else {
    PENSTOCK_TRY(writer_->append(plain_));
  }
  plain_.clear();
  return {};
}

}  // namespace penstock::source
