// Which sample a record belongs to, by WebDataset's rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace penstock::format {

struct SampleKey {
  std::string_view key;   // borrows from the name
  std::string extension;  // lower case, without the first dot
  friend bool operator==(const SampleKey&, const SampleKey&) = default;
};

// The key reaches to the first dot of the base name: "a/b/cat.01.seg.png" is `01.seg.png` of the
// sample `a/b/cat`. nullopt for what is no part of a sample: base names without a dot, names like
// "__meta__" and what lies in folders so named, and names that begin with a dot in no folder or in
// one whose name has a dot.
std::optional<SampleKey> split_sample_key(std::string_view record_name);

}  // namespace penstock::format
