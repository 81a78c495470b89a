// What was asked for, as a value: it prints, parses, compares and hashes. Python, C++ and the
// command line all build one of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "penstock/base/fields.h"
#include "penstock/base/result.h"

namespace penstock::pipeline {

// Where samples come from. Options are those of the kind: see sources.cpp.
struct SourceSpec {
  std::string kind;               // "folder", "tar", "concat", ...
  std::vector<std::string> urls;  // what the kind reads: one folder, or shards
  std::vector<Option> options;
  std::vector<SourceSpec> sources;  // what the kind is made of: "concat", "zip", "mix", "filter"
  friend bool operator==(const SourceSpec&, const SourceSpec&) = default;
};

struct ShuffleSpec {
  // A number of samples, a number of bytes ("512MiB"), "global", or "auto": global for folders and
  // arrays; for shards what 256 MiB hold, or a quarter of the memory ceiling if one was given.
  std::string window = "auto";
  std::uint32_t lanes = 64;

  static constexpr auto fields() {
    return std::tuple{Field{"window", &ShuffleSpec::window,
                            "Samples, bytes (\"512MiB\"), \"global\" or \"auto\"."},
                      Field{"lanes", &ShuffleSpec::lanes, "Places that are read from at once."}};
  }
  friend bool operator==(const ShuffleSpec&, const ShuffleSpec&) = default;
};

// One field of the samples: how its bytes are read, and what is done to it.
struct FieldSpec {
  std::string name;   // in the source and in the batch; "jpg;jpeg;png" takes the first there is
  OptionText reader;  // "image dtype=f32 layout=chw", "label"
  std::vector<OptionText> ops;  // images only
  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

struct BatchSpec {
  std::uint64_t size = 1;     // of one rank
  std::string last = "drop";  // "drop", "keep" or "wrap"
  friend bool operator==(const BatchSpec&, const BatchSpec&) = default;
};

// Where bytes of remote objects are kept, so that they are not fetched again. Changes no sample.
struct DiskCacheSpec {
  std::string folder;
  std::string size;  // what the folder may hold, like "200GiB"
  friend bool operator==(const DiskCacheSpec&, const DiskCacheSpec&) = default;
};

// Samples that are kept in memory once they were read, so that they are not fetched again.
struct MemoryCacheSpec {
  std::string size;            // what it may hold, like "4GiB"; "": what the memory ceiling leaves
  std::string what = "bytes";  // "bytes" as they are stored, or "pixels" of decoded images
  friend bool operator==(const MemoryCacheSpec&, const MemoryCacheSpec&) = default;
};

struct RankSpec {
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
  friend bool operator==(const RankSpec&, const RankSpec&) = default;
};

struct Spec {
  SourceSpec source;
  std::optional<ShuffleSpec> shuffle;  // none: in the order of the source
  std::uint64_t seed = 0;              // of shuffle and of random ops
  std::vector<FieldSpec> fields;
  std::uint64_t repeat = 1;                 // how often the samples come in one epoch
  std::uint64_t skip = 0;                   // leaves out the first so many positions of each epoch
  std::optional<std::uint64_t> take;        // only so many positions of each epoch
  std::optional<std::uint64_t> epochs = 1;  // none: without end
  BatchSpec batch;
  std::optional<RankSpec> shard;  // none: as the launcher says
  std::optional<DiskCacheSpec> disk_cache;
  std::optional<MemoryCacheSpec> memory_cache;

  friend bool operator==(const Spec&, const Spec&) = default;
};

// JSON, with one line an op.
std::string print_spec(const Spec& spec);
// Fails naming the key and what was expected there.
Result<Spec> parse_spec(std::string_view text);

// What decides which sample of a dataset comes at which position, and with which pixels, by name:
// "seed" -> "7". Leaves out rank, world size, batch size, the number of epochs and caches of bytes,
// and where the dataset lies: that has a fingerprint.
std::vector<std::pair<std::string, std::string>> spec_parts(const Spec& spec);
// Of the parts.
std::uint64_t hash_spec(const Spec& spec);

}  // namespace penstock::pipeline
