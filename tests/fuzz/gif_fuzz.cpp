// Any bytes as a GIF file.
#include "codec_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  penstock::decode::fuzz_codec("gif", data, size);
  return 0;
}
