// Tar members as bytes. The same input gives the same archive everywhere: times are 0, the owner is
// 0:0, the mode is 0644.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::format {

// What stands before the bytes of a member: one ustar block, with a pax header before it if the
// name or the size does not fit. Fails with kInvalidArgument if the name is empty or holds a zero
// byte.
Result<std::vector<std::byte>> tar_header(std::string_view name, std::uint64_t size_bytes);

// How many zero bytes stand after the bytes of a member.
std::size_t tar_padding(std::uint64_t size_bytes);

// What stands at the end of an archive.
std::vector<std::byte> tar_end();

// Header, bytes and padding in one.
Status append_tar_member(std::vector<std::byte>& archive, std::string_view name, Bytes bytes);

}  // namespace penstock::format
