// From what a user writes to the shards it means.
//
//   train.tar                 the file
//   data/**/train-*.tar       every match, in path order: * ? [a-z] [!a-z] within one name, ** for
//                             any number of folders; names that begin with a dot only if written
//   train-{000..999}.tar      000, 001, ...; {val,train} each; several, also one in another
//   train-@001000.tar         the same as train-{000000..000999}.tar
//
// A path that exists as it is written is taken as written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/storage/storage.h"

namespace penstock::source {

// Writes out {..}, {,} and @. Braces that hold neither a range nor a comma stay as they are. Fails
// with kInvalidArgument beyond a million paths.
Result<std::vector<std::string>> expand_numbers(std::string_view url);

// Whether a text matches a pattern of * ? [a-z] [!a-z]; slashes and dots are like any other
// character.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Whether one name (no slashes) matches one part of a pattern.
bool matches_name(std::string_view pattern, std::string_view name);

// In the order given. Fails with kNotFound, naming the path that does not exist or the pattern that
// nothing matches.
Result<std::vector<storage::ObjectInfo>> expand_urls(const storage::Storage& storage,
                                                     std::span<const std::string> urls);

}  // namespace penstock::source
