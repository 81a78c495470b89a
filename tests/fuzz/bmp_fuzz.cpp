// Any bytes as a BMP file.
#include "codec_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  penstock::decode::fuzz_codec("bmp", data, size);
  return 0;
}
