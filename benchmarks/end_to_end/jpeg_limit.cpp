// The JPEG limit: libjpeg-turbo decodes whole files, held in memory, in N threads and does nothing
// else. No loader that decodes every pixel with libjpeg-turbo can be faster.
//   jpeg_limit THREADS WARMUP_SECONDS SECONDS FILE_LIST
// Prints one JSON object.
#include <turbojpeg.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;
using Seconds = std::chrono::duration<double>;

std::vector<Bytes> read_files(const std::string& list_path) {
  std::vector<Bytes> files;
  std::ifstream list(list_path);
  for (std::string path; std::getline(list, path);) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

// Decodes one file to RGB at full size. False if libjpeg-turbo gives up on it.
bool decode(tjhandle decoder, const Bytes& jpeg, Bytes& pixels) {
  int width = 0, height = 0, subsampling = 0, colour_space = 0;
  if (tjDecompressHeader3(decoder, jpeg.data(), jpeg.size(), &width, &height, &subsampling,
                          &colour_space) != 0) {
    return false;
  }
  pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  return tjDecompress2(decoder, jpeg.data(), jpeg.size(), pixels.data(), width, 0, height, TJPF_RGB,
                       0) == 0 ||
         tjGetErrorCode(decoder) == TJERR_WARNING;
}

struct Shared {
  const std::vector<Bytes>& files;
  std::atomic<std::size_t> next{0};
  std::atomic<long> decoded{0};
  std::atomic<long> failed{0};
  std::atomic<bool> stops{false};
};

void decode_until_stopped(Shared& shared) {
  tjhandle decoder = tjInitDecompress();
  Bytes pixels;
  while (!shared.stops) {
    const Bytes& jpeg = shared.files[shared.next++ % shared.files.size()];
    if (decode(decoder, jpeg, pixels)) {
      ++shared.decoded;
    } else {
      ++shared.failed;
    }
  }
  tjDestroy(decoder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: jpeg_limit THREADS WARMUP_SECONDS SECONDS FILE_LIST\n");
    return 2;
  }
  const std::vector<Bytes> files = read_files(argv[4]);
  if (files.empty()) {
    std::fprintf(stderr, "jpeg_limit: no files in %s\n", argv[4]);
    return 1;
  }
  Shared shared{files};
  std::vector<std::jthread> threads;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    threads.emplace_back([&shared] { decode_until_stopped(shared); });
  }
  std::this_thread::sleep_for(Seconds(std::atof(argv[2])));
  const long before = shared.decoded;
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(Seconds(std::atof(argv[3])));
  const long decoded = shared.decoded - before;
  const double elapsed_s = Seconds(std::chrono::steady_clock::now() - start).count();
  shared.stops = true;
  threads.clear();
  std::printf("{\"samples_per_s\": %.1f, \"failed\": %ld}\n",
              static_cast<double>(decoded) / elapsed_s, shared.failed.load());
}
