// Reads arbitrary bytes as a part of entry points, as they are and with the checksum of their table
// put right: random bytes would never get past it. What is accepted must lie within the part and,
// if its records are whole, come back byte for byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "penstock/base/hash.h"
#include "penstock/source/entry_point_file.h"

namespace {

using penstock::Bytes;
using penstock::source::kEntryPointChecksumBytes;
using penstock::source::kEntryPointHeaderBytes;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

void check_part(Bytes file) {
  const auto header = penstock::source::decode_entry_point_header(file, file.size());
  if (!header.ok()) return;
  require(header->table_bytes() <= file.size() - kEntryPointHeaderBytes);
  const Bytes table = file.subspan(kEntryPointHeaderBytes, header->table_bytes());
  const auto records = penstock::source::decode_entry_point_table(*header, table, file.size());
  if (!records.ok()) return;
  penstock::source::EntryPointPart again;
  for (const auto& record : *records) {
    require(record.size_bytes > 0);
    const std::size_t stored_bytes = kEntryPointChecksumBytes + record.size_bytes;
    require(record.offset <= file.size() && stored_bytes <= file.size() - record.offset);
    const auto bytes =
        penstock::source::checked_entry_points(file.subspan(record.offset, stored_bytes));
    if (!bytes.ok()) return;
    again.add(record.key, *bytes);
  }
  std::vector<std::byte> written = again.head();
  written.insert(written.end(), again.body().begin(), again.body().end());
  require(std::ranges::equal(written, file));
}

void repair_table(std::vector<std::byte>& file) {
  const auto header = penstock::source::decode_entry_point_header(file, file.size());
  if (!header.ok()) return;
  const std::uint64_t checksum =
      penstock::hash_bytes(Bytes(file).subspan(kEntryPointHeaderBytes, header->table_bytes()));
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<std::byte>(checksum >> (8 * i));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  check_part(bytes);
  std::vector<std::byte> repaired(bytes.begin(), bytes.end());
  repair_table(repaired);
  check_part(repaired);
  return 0;
}
