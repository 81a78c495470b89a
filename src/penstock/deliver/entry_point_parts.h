// Files of entry points in a folder: listing, reading, writing. Their format is that of
// source/entry_point_file.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/source/entry_point_file.h"
#include "penstock/storage/storage.h"

namespace penstock::deliver {

struct PartFile {
  std::string path;
  std::uint64_t size_bytes = 0;
  source::EntryPointHeader header;
};

// Names of parts sort by the time they begin with (since 1970).
std::string part_name(std::int64_t time_ns, std::uint64_t unique);
// The name for a part made of others, of which `newest` is the last.
std::string merged_part_name(std::string_view newest, std::uint64_t unique);

// The parts in `folder` whose path `is_new`, in the order of their names; none if there is no such
// folder. Files that are no parts, or damaged ones, are passed over.
std::vector<PartFile> list_parts(const storage::Storage& storage, std::string_view folder,
                                 const std::function<bool(const std::string&)>& is_new);

// Calls `take` with the number and the table of each part; not of those that are damaged.
void read_tables(
    const storage::Storage& storage, std::span<const PartFile> parts,
    const std::function<void(std::size_t, std::span<const source::EntryPointRecord>)>& take);

// Readers see the whole part or nothing, whatever happens.
Status write_part(const storage::Storage& storage, std::string_view path,
                  const source::EntryPointPart& part);

// Copies the records of a part that `is_wanted` to `out`, but for damaged ones. Fails if the part
// cannot be read.
Status copy_records(const storage::Storage& storage, std::string_view path,
                    const std::function<bool(const source::EntryPointRecord&)>& is_wanted,
                    source::EntryPointPart& out);

// Takes away what processes that were killed left in `folder` before `time_ns`.
void remove_leftovers(const storage::Storage& storage, std::string_view folder,
                      std::int64_t time_ns);

}  // namespace penstock::deliver
