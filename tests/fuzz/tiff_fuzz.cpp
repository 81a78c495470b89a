// Any bytes as a TIFF file.
#include "codec_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  penstock::decode::fuzz_codec("tiff", data, size);
  return 0;
}
