// What the decoding limits have in common: files held in memory, N threads that decode them.
#pragma once

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

using Bytes = std::vector<unsigned char>;

inline std::vector<Bytes> read_files(const std::string& list_path) {
  std::vector<Bytes> files;
  std::ifstream list(list_path);
  for (std::string path; std::getline(list, path);) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

struct Shared {
  const std::vector<Bytes>& files;
  std::atomic<std::size_t> next{0};
  std::atomic<long> decoded{0};
  std::atomic<long> failed{0};
  std::atomic<bool> stops{false};
};

// A Decoder is one thread's: bool decode(const Bytes& file, Bytes& pixels), false if the library
// gives up on the file.
template <class Decoder>
void decode_until_stopped(Shared& shared) {
  Decoder decoder;
  Bytes pixels;
  while (!shared.stops) {
    const Bytes& file = shared.files[shared.next++ % shared.files.size()];
    if (decoder.decode(file, pixels)) {
      ++shared.decoded;
    } else {
      ++shared.failed;
    }
  }
}

// The main program: NAME THREADS WARMUP_SECONDS SECONDS FILE_LIST. Prints one JSON object.
template <class Decoder>
int run_limit(int argc, char** argv) {
  using Seconds = std::chrono::duration<double>;
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s THREADS WARMUP_SECONDS SECONDS FILE_LIST\n", argv[0]);
    return 2;
  }
  const std::vector<Bytes> files = read_files(argv[4]);
  if (files.empty()) {
    std::fprintf(stderr, "%s: no files in %s\n", argv[0], argv[4]);
    return 1;
  }
  Shared shared{files};
  std::vector<std::jthread> threads;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    threads.emplace_back([&shared] { decode_until_stopped<Decoder>(shared); });
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
  return 0;
}
