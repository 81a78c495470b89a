// Streams a compressed shard through a decompressor into the cache folder. Holds a few megabytes.
#include "penstock/source/unpack.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "penstock/base/hash.h"
#include "penstock/source/path.h"

namespace penstock::source {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::size_t kWriteBytes = 1 << 20;

Status read_range(const storage::Storage& storage, std::string_view path, std::uint64_t offset,
                  MutableBytes out) {
  std::array requests = {storage::ReadRequest{.path = path, .offset = offset, .out = out}};
  storage.read(requests);
  return requests[0].status;
}

Result<format::Compression> compression_of(const storage::Storage& storage,
                                           const storage::ObjectInfo& shard,
                                           const Packing& packing) {
  std::vector<std::byte> first_bytes(
      std::min<std::uint64_t>(packing.num_first_bytes, shard.size_bytes));
  PENSTOCK_TRY(read_range(storage, shard.path, 0, first_bytes));
  return packing.compression_of(first_bytes);
}

std::string unpacked_path(const storage::ObjectInfo& shard, std::string_view ending,
                          std::string_view cache_folder) {
  std::uint64_t hash = hash_text(shard.path);
  hash = combine_hash(hash, shard.size_bytes);
  hash = combine_hash(hash, static_cast<std::uint64_t>(shard.modified_ns));
  const std::string_view name = base_name(shard.path);
  return join_path(cache_folder, concat("unpacked/", hexadecimal(hash), "-",
                                        name.substr(0, name.find('.')), ending));
}

// Everything that `in`, and what the decompressor still holds, gives.
Status unpack_bytes(format::Decompressor& decompressor, Bytes in, MutableBytes buffer,
                    storage::ObjectWriter& writer) {
  while (true) {
    PENSTOCK_TRY_ASSIGN(const format::Progress progress, decompressor.run(in, buffer));
    PENSTOCK_TRY(writer.append(buffer.first(progress.produced)));
    in = in.subspan(progress.consumed);
    if (in.empty() && progress.produced < buffer.size()) return {};
  }
}

Status unpack(const storage::Storage& storage, const storage::ObjectInfo& shard,
              format::Decompressor& decompressor, storage::ObjectWriter& writer,
              const std::function<void(std::uint64_t)>& progress) {
  std::vector<std::byte> in(kReadBytes);
  std::vector<std::byte> out(kWriteBytes);
  for (std::uint64_t offset = 0; offset < shard.size_bytes;) {
    const auto part =
        std::span(in).first(std::min<std::uint64_t>(in.size(), shard.size_bytes - offset));
    PENSTOCK_TRY(read_range(storage, shard.path, offset, part));
    PENSTOCK_TRY(unpack_bytes(decompressor, part, out, writer));
    offset += part.size();
    progress(offset);
  }
  PENSTOCK_TRY(decompressor.finish());
  return writer.commit();
}

}  // namespace

Result<storage::ObjectInfo> plain_shard(const storage::Storage& storage,
                                        const storage::ObjectInfo& shard, const Packing& packing,
                                        std::string_view cache_folder,
                                        const std::function<void(std::uint64_t)>& progress) {
  PENSTOCK_TRY_ASSIGN(const format::Compression compression,
                      compression_of(storage, shard, packing));
  if (compression == format::Compression::kNone) return shard;
  if (cache_folder.empty()) {
    return unsupported("compressed with ", format::compression_name(compression),
                       ", expected a cache folder to unpack it into");
  }
  const std::string path = unpacked_path(shard, packing.ending, cache_folder);
  // Without a time a changed shard of the same size looks the same, so that it is unpacked anew.
  if (shard.modified_ns != 0) {
    if (auto unpacked = storage.stat(path); unpacked.ok()) return unpacked;
  }
  PENSTOCK_TRY_ASSIGN(const auto decompressor, format::make_decompressor(compression));
  PENSTOCK_TRY_ASSIGN(const auto writer, storage.create(path));
  PENSTOCK_TRY(unpack(storage, shard, *decompressor, *writer, progress));
  return storage.stat(path);
}

}  // namespace penstock::source
