// The JPEG limit: libjpeg-turbo decodes whole files, held in memory, in N threads and does nothing
// else. No loader that decodes every pixel with libjpeg-turbo can be faster.
#include <turbojpeg.h>

#include "decode_limit.h"

namespace {

class TurboDecoder {
 public:
  TurboDecoder() : handle_(tjInitDecompress()) {}
  ~TurboDecoder() { tjDestroy(handle_); }
  TurboDecoder(const TurboDecoder&) = delete;
  TurboDecoder& operator=(const TurboDecoder&) = delete;

  // To RGB at full size.
  bool decode(const Bytes& jpeg, Bytes& pixels) {
    int width = 0, height = 0, subsampling = 0, colour_space = 0;
    if (tjDecompressHeader3(handle_, jpeg.data(), jpeg.size(), &width, &height, &subsampling,
                            &colour_space) != 0) {
      return false;
    }
    pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    return tjDecompress2(handle_, jpeg.data(), jpeg.size(), pixels.data(), width, 0, height,
                         TJPF_RGB, 0) == 0 ||
           tjGetErrorCode(handle_) == TJERR_WARNING;
  }

 private:
  tjhandle handle_;
};

}  // namespace

int main(int argc, char** argv) { return run_limit<TurboDecoder>(argc, argv); }
