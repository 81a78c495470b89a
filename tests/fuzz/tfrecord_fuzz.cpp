// Walks arbitrary bytes as a TFRecord shard. The first byte chooses the window size, so that the
// shard is also seen through windows that end everywhere, and whether the checksums of lengths are
// put right first: random bytes would hardly ever get past them. What is found is the same through
// every window, lies in the shard, does not overlap, and comes back when it is written again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "penstock/format/tfrecord_reader.h"
#include "penstock/format/tfrecord_writer.h"

namespace {

using penstock::Bytes;
using penstock::Code;
using penstock::format::TfrecordReader;
using penstock::format::TfrecordSpan;

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

struct Walk {
  std::vector<TfrecordSpan> records;
  std::vector<std::uint64_t> damages;  // where they begin
  friend bool operator==(const Walk&, const Walk&) = default;
};

Walk walk(Bytes shard, std::size_t window_size) {
  TfrecordReader reader(shard.size());
  std::size_t size = window_size;
  bool is_searching = false;
  Walk found;
  while (true) {
    const std::uint64_t position = reader.position();
    require(position <= shard.size());
    const Bytes rest = shard.subspan(position);
    const Bytes window = rest.first(std::min(size, rest.size()));
    size = window_size;
    if (is_searching) {
      const auto status = reader.resynchronise(window);
      require(status.ok() || status.code() == Code::kNeedMoreBytes);
      is_searching = !status.ok();
      require(status.ok() || reader.position() > position || reader.needed_bytes() > window.size());
      if (is_searching) size = std::max<std::size_t>(size, reader.needed_bytes());
      continue;
    }
    const auto record = reader.next(window);
    if (record.status().code() == Code::kNeedMoreBytes) {
      require(reader.needed_bytes() > window.size());
      size = reader.needed_bytes();
    } else if (!record.ok()) {
      require(reader.position() == position);
      found.damages.push_back(position);
      is_searching = true;
    } else if (record->has_value()) {
      require((*record)->offset >= position);
      require((*record)->offset + (*record)->size <= reader.position());
      found.records.push_back(**record);
    } else {
      return found;
    }
  }
}

// Writes the records again and finds them at once.
void write_again(Bytes shard, const Walk& found) {
  std::vector<std::byte> written;
  for (const TfrecordSpan& record : found.records) {
    penstock::format::append_tfrecord(written, shard.subspan(record.offset, record.size));
  }
  const Walk again = walk(written, written.size());
  require(again.damages.empty() && again.records.size() == found.records.size());
  for (const TfrecordSpan& record : again.records) {
    require(
        penstock::format::checked_tfrecord(Bytes(written).subspan(record.offset, record.size + 4))
            .ok());
  }
}

// Makes a header of every twelve bytes whose length could be one.
std::vector<std::byte> with_right_headers(Bytes shard) {
  std::vector<std::byte> out(shard.begin(), shard.end());
  for (std::size_t begin = 0; begin + 16 <= out.size();) {
    const std::uint64_t size = std::to_integer<std::uint64_t>(out[begin]);
    const auto header = penstock::format::tfrecord_header(size);
    std::ranges::copy(header, out.begin() + static_cast<std::ptrdiff_t>(begin));
    begin += 16 + size;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data + 1, size - 1));
  std::vector<std::byte> repaired;
  if (data[0] % 2 != 0) repaired = with_right_headers(input);
  const Bytes shard = data[0] % 2 != 0 ? Bytes(repaired) : input;
  const Walk whole = walk(shard, shard.size());
  require(walk(shard, data[0]) == whole);
  write_again(shard, whole);
  (void)penstock::format::compression_of_tfrecords(shard);
  return 0;
}
