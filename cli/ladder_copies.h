// The samples of a source once more, in other formats, codecs and sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure.h"
#include "penstock/base/result.h"
#include "penstock/pipeline/spec.h"
#include "penstock/source/source.h"

namespace penstock::cli {

// An encoded image as it is stored.
struct EncodedSample {
  std::vector<std::byte> image;
  std::int64_t label = 0;
};

// The first `count` samples of the job's source.
Result<std::vector<EncodedSample>> read_encoded(const Job& job, std::uint64_t count);

// Each writes into a folder that it makes, and says how to open what it wrote.
Result<pipeline::SourceSpec> write_folder(const std::string& folder,
                                          const std::vector<EncodedSample>& samples);
Result<pipeline::SourceSpec> write_tar(const std::string& folder,
                                       const std::vector<EncodedSample>& samples);
Result<pipeline::SourceSpec> write_tfrecord(const std::string& folder,
                                            const std::vector<EncodedSample>& samples);

// Images of one size, in memory: height, width, channels.
struct DecodedImages {
  int side = 0;
  std::vector<std::byte> pixels;
  std::vector<std::int64_t> labels;

  // For the source "arrays", as long as this lives.
  std::vector<source::ArrayColumn> columns() const;
};

// The first `count` images of the job's source, each resized to a square.
Result<DecodedImages> decode_resized(const Job& job, int side, std::uint64_t count);

enum class Encoding { kJpeg, kPng };
Result<std::vector<EncodedSample>> encode_all(const DecodedImages& images, Encoding encoding);

}  // namespace penstock::cli
