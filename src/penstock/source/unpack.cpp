// Streams a compressed shard through a decompressor into the cache folder. Holds a few megabytes.
#include "penstock/source/unpack.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penstock/base/hash.h"
#include "penstock/source/index_file.h"
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

std::string unpacked_path(const storage::ObjectInfo& shard, std::string_view ending,
                          std::string_view cache_folder) {
  std::uint64_t hash = hash_text(shard.path);
  hash = combine_hash(hash, shard.size_bytes);
  hash = combine_hash(hash, static_cast<std::uint64_t>(shard.modified_ns));
  const std::string_view name = base_name(shard.path);
  return join_path(cache_folder, concat("unpacked/", hexadecimal(hash), "-",
                                        name.substr(0, name.find('.')), ending));
}

// Everything that `in`, and what the decompressor still holds, gives. The failure of the
// decompressor itself goes to `broken`.
Status unpack_bytes(format::Decompressor& decompressor, Bytes in, MutableBytes buffer,
                    storage::ObjectWriter& writer, Status& broken) {
  while (true) {
    const auto progress = decompressor.run(in, buffer);
    if (!progress.ok()) {
      broken = progress.status();
      return {};
    }
    PENSTOCK_TRY(writer.append(buffer.first(progress->produced)));
    in = in.subspan(progress->consumed);
    if (in.empty() && progress->produced < buffer.size()) return {};
  }
}

// Returns why the shard breaks off; empty if it does not.
Result<std::string> unpack(const storage::Storage& storage, const storage::ObjectInfo& shard,
                           format::Decompressor& decompressor, storage::ObjectWriter& writer,
                           const std::function<void(std::uint64_t)>& progress) {
  std::vector<std::byte> in(kReadBytes);
  std::vector<std::byte> out(kWriteBytes);
  Status broken;
  for (std::uint64_t offset = 0; offset < shard.size_bytes && broken.ok();) {
    const auto part =
        std::span(in).first(std::min<std::uint64_t>(in.size(), shard.size_bytes - offset));
    PENSTOCK_TRY(read_range(storage, shard.path, offset, part));
    PENSTOCK_TRY(unpack_bytes(decompressor, part, out, writer, broken));
    offset += part.size();
    progress(offset);
  }
  if (broken.ok()) broken = decompressor.finish();
  if (!broken.ok() && broken.code() != Code::kCorrupt) return broken;
  return std::string(broken.message());
}

// The message beside a copy; empty if there is none.
Result<std::string> read_damage(const storage::Storage& storage, const std::string& path) {
  const auto bytes = read_object(storage, path);
  if (bytes.status().code() == Code::kNotFound) return std::string();
  PENSTOCK_TRY(bytes.status());
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

}  // namespace

Result<std::vector<format::Compression>> compressions_of(
    const storage::Storage& storage, std::span<const storage::ObjectInfo> shards,
    const Packing& packing) {
  std::vector<std::vector<std::byte>> first_bytes;
  std::vector<storage::ReadRequest> requests;
  for (const storage::ObjectInfo& shard : shards) {
    first_bytes.emplace_back(std::min<std::uint64_t>(packing.num_first_bytes, shard.size_bytes));
    requests.push_back({.path = shard.path, .out = first_bytes.back()});
  }
  storage.read(requests);
  std::vector<format::Compression> compressions;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    PENSTOCK_TRY(requests[i].status.at(shards[i].path));
    compressions.push_back(packing.compression_of(first_bytes[i]));
  }
  return compressions;
}

Result<PlainShard> plain_shard(const storage::Storage& storage, const storage::ObjectInfo& shard,
                               format::Compression compression, std::string_view ending,
                               std::string_view cache_folder,
                               const std::function<void(std::uint64_t)>& progress) {
  if (compression == format::Compression::kNone) return PlainShard{shard, {}};
  if (cache_folder.empty()) {
    return unsupported("compressed with ", format::compression_name(compression),
                       ", expected a cache folder to unpack it into");
  }
  const std::string path = unpacked_path(shard, ending, cache_folder);
  const std::string damage_path = concat(path, ".damage");
  PlainShard plain;
  // Without a time a changed shard of the same size looks the same, so that it is unpacked anew.
  if (shard.modified_ns != 0) {
    if (auto unpacked = storage.stat(path); unpacked.ok()) {
      plain.object = *std::move(unpacked);
      PENSTOCK_TRY_ASSIGN(plain.damage, read_damage(storage, damage_path));
      return plain;
    }
  }
  PENSTOCK_TRY_ASSIGN(const auto decompressor, format::make_decompressor(compression));
  PENSTOCK_TRY_ASSIGN(const auto writer, storage.create(path));
  PENSTOCK_TRY_ASSIGN(plain.damage, unpack(storage, shard, *decompressor, *writer, progress));
  if (!plain.damage.empty()) {
    // Before the copy, so that there is never a copy that looks whole and is not.
    PENSTOCK_TRY(storage.write(damage_path, std::as_bytes(std::span(plain.damage))));
  }
  PENSTOCK_TRY(writer->commit());
  PENSTOCK_TRY_ASSIGN(plain.object, storage.stat(path));
  return plain;
}

}  // namespace penstock::source
