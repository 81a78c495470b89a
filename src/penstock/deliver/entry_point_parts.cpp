// Parts are read without trust: what is damaged is as if it were not there.
#include "penstock/deliver/entry_point_parts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "penstock/source/index_file.h"
#include "penstock/source/path.h"

namespace penstock::deliver {
namespace {

constexpr std::string_view kEnding = ".part";
// Tables that are held at once.
constexpr std::uint64_t kTableBytes = 4 << 20;

bool is_part_name(std::string_view name) {
  return !name.starts_with('.') && name.ends_with(kEnding);
}

// A part that is being written has a hidden name: see storage/file_writer.h.
bool is_leftover_name(std::string_view name) {
  return name.starts_with('.') && name.find(".part.") != std::string_view::npos;
}

void read_some_tables(
    const storage::Storage& storage, std::span<const PartFile> parts, std::size_t first,
    const std::function<void(std::size_t, std::span<const source::EntryPointRecord>)>& take) {
  std::vector<std::vector<std::byte>> tables(parts.size());
  std::vector<storage::ReadRequest> requests;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    tables[i].resize(parts[i].header.table_bytes());
    requests.push_back(
        {.path = parts[i].path, .offset = source::kEntryPointHeaderBytes, .out = tables[i]});
  }
  storage.read(requests);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!requests[i].status.ok()) continue;
    const auto records =
        source::decode_entry_point_table(parts[i].header, tables[i], parts[i].size_bytes);
    if (records.ok()) take(first + i, *records);
  }
}

}  // namespace

std::string part_name(std::int64_t time_ns, std::uint64_t unique) {
  return concat(hexadecimal(static_cast<std::uint64_t>(time_ns)), "-", hexadecimal(unique),
                kEnding);
}

std::string merged_part_name(std::string_view newest, std::uint64_t unique) {
  return concat(newest.substr(0, newest.find('-')), "-", hexadecimal(unique), kEnding);
}

std::vector<PartFile> list_parts(const storage::Storage& storage, std::string_view folder,
                                 const std::function<bool(const std::string&)>& is_new) {
  const auto listing = storage.list_folder(folder);
  if (!listing.ok()) return {};
  std::vector<PartFile> parts;
  for (const storage::ObjectInfo& object : listing->objects) {
    if (is_part_name(source::base_name(object.path)) && is_new(object.path)) {
      parts.push_back({object.path, object.size_bytes, {}});
    }
  }
  std::vector<std::array<std::byte, source::kEntryPointHeaderBytes>> headers(parts.size());
  std::vector<storage::ReadRequest> requests;
  requests.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    requests.push_back({.path = parts[i].path, .out = headers[i]});
  }
  storage.read(requests);
  std::vector<PartFile> good;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!requests[i].status.ok()) continue;
    const auto header = source::decode_entry_point_header(headers[i], parts[i].size_bytes);
    if (!header.ok()) continue;
    good.push_back({std::move(parts[i].path), parts[i].size_bytes, *header});
  }
  return good;
}

void read_tables(
    const storage::Storage& storage, std::span<const PartFile> parts,
    const std::function<void(std::size_t, std::span<const source::EntryPointRecord>)>& take) {
  std::size_t first = 0;
  while (first < parts.size()) {
    std::size_t end = first;
    std::uint64_t bytes = 0;
    while (end < parts.size() && (end == first || bytes < kTableBytes)) {
      bytes += parts[end++].header.table_bytes();
    }
    read_some_tables(storage, parts.subspan(first, end - first), first, take);
    first = end;
  }
}

Status write_part(const storage::Storage& storage, std::string_view path,
                  const source::EntryPointPart& part) {
  PENSTOCK_TRY_ASSIGN(const auto writer, storage.create(path));
  PENSTOCK_TRY(writer->append(part.head()));
  PENSTOCK_TRY(writer->append(part.body()));
  return writer->commit();
}

Status copy_records(const storage::Storage& storage, std::string_view path,
                    const std::function<bool(const source::EntryPointRecord&)>& is_wanted,
                    source::EntryPointPart& out) {
  PENSTOCK_TRY_ASSIGN(const std::vector<std::byte> file, source::read_object(storage, path));
  PENSTOCK_TRY_ASSIGN(const source::EntryPointHeader header,
                      source::decode_entry_point_header(file, file.size()));
  const Bytes bytes(file);
  const Bytes table = bytes.subspan(source::kEntryPointHeaderBytes, header.table_bytes());
  PENSTOCK_TRY_ASSIGN(const auto records,
                      source::decode_entry_point_table(header, table, file.size()));
  for (const source::EntryPointRecord& record : records) {
    if (!is_wanted(record)) continue;
    const auto checked = source::checked_entry_points(
        bytes.subspan(record.offset, source::kEntryPointChecksumBytes + record.size_bytes));
    if (checked.ok()) out.add(record.key, *checked);
  }
  return {};
}

void remove_leftovers(const storage::Storage& storage, std::string_view folder,
                      std::int64_t time_ns) {
  const auto listing = storage.list_folder(folder);
  if (!listing.ok()) return;
  for (const storage::ObjectInfo& object : listing->objects) {
    if (!is_leftover_name(source::base_name(object.path)) || object.modified_ns >= time_ns) {
      continue;
    }
    // What cannot be taken away costs a few megabytes, nothing else.
    (void)storage.remove(object.path);
  }
}

}  // namespace penstock::deliver
