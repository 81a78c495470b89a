// Parses arbitrary bytes as an .npy file. What is accepted must have as many values as its shape
// says, at the end of the bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "penstock/decode/npy.h"

namespace {

// Aborts on a broken promise.
void require(bool is_true) {
  if (!is_true) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const penstock::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto array = penstock::decode::parse_npy(bytes);
  if (!array.ok()) {
    const penstock::Code code = array.status().code();
    require(code == penstock::Code::kCorrupt || code == penstock::Code::kUnsupported);
    require(!array.status().message().empty());
    return 0;
  }
  require(array->values.size() == array->shape.size() * penstock::size_bytes(array->dtype));
  require(array->values.data() + array->values.size() == bytes.data() + bytes.size());
  return 0;
}
