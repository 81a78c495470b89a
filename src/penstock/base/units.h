// Sizes in bytes as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/base/result.h"

namespace penstock {

// "512MiB", "1.5 GB", "4096": K, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024; the B may be
// left out.
Result<std::uint64_t> parse_size_bytes(std::string_view text);

// "38.5 MiB", "110.2 KiB", "17 B".
std::string print_size_bytes(std::uint64_t size_bytes);

}  // namespace penstock
