// Any bytes as a WebP file.
#include "codec_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  penstock::decode::fuzz_codec("webp", data, size);
  return 0;
}
