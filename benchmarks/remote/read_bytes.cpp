// Reads objects from beginning to end into memory: a few batches of ranges under way at once.
//   read_bytes RANGE_BYTES URL...
// Prints one JSON object.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "penstock/storage/catalog.h"

namespace penstock::storage {
namespace {

constexpr std::size_t kBatchBytes = 8 << 20;
constexpr int kNumReaders = 3;

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Batch {
  const ObjectInfo* object = nullptr;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::vector<Batch> batches_of(const std::vector<ObjectInfo>& objects) {
  std::vector<Batch> batches;
  for (const ObjectInfo& object : objects) {
    for (std::uint64_t begin = 0; begin < object.size_bytes; begin += kBatchBytes) {
      batches.push_back({&object, begin, std::min(begin + kBatchBytes, object.size_bytes)});
    }
  }
  return batches;
}

// False if a range failed.
bool read_batch(const Storage& storage, const Batch& batch, std::size_t range_bytes,
                std::vector<std::byte>& memory) {
  std::vector<ReadRequest> requests;
  for (std::uint64_t begin = batch.begin; begin < batch.end; begin += range_bytes) {
    const std::size_t size = std::min<std::uint64_t>(range_bytes, batch.end - begin);
    requests.push_back(
        {batch.object->path, begin, MutableBytes(memory).subspan(begin - batch.begin, size), {}});
  }
  storage.read(requests);
  for (const ReadRequest& request : requests) {
    if (request.status.ok()) continue;
    std::fprintf(stderr, "%s: %s\n", batch.object->path.c_str(),
                 std::string(request.status.message()).c_str());
    return false;
  }
  return true;
}

int run(std::size_t range_bytes, const std::vector<std::string>& urls) {
  const auto storage = make_storage();
  std::vector<ObjectInfo> objects;
  std::uint64_t total_bytes = 0;
  for (const std::string& url : urls) {
    auto info = storage->stat(url);
    if (!info.ok()) {
      std::fprintf(stderr, "%s\n", std::string(info.status().message()).c_str());
      return 1;
    }
    total_bytes += info->size_bytes;
    objects.push_back(*std::move(info));
  }
  const std::vector<Batch> batches = batches_of(objects);
  // As in a loader, whose buffers are used again and again.
  std::vector<std::vector<std::byte>> memories(kNumReaders, std::vector<std::byte>(kBatchBytes));
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto began = std::chrono::steady_clock::now();
  const double cpu_before = cpu_seconds();
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < kNumReaders; ++i) {
      readers.emplace_back([&, &memory = memories[static_cast<std::size_t>(i)]] {
        for (std::size_t k = next++; k < batches.size() && !has_failed; k = next++) {
          if (!read_batch(*storage, batches[k], range_bytes, memory)) has_failed = true;
        }
      });
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  std::printf("{\"bytes\": %llu, \"seconds\": %.4f, \"cpu_seconds\": %.4f}\n",
              static_cast<unsigned long long>(total_bytes), elapsed.count(),
              cpu_seconds() - cpu_before);
  return has_failed ? 1 : 0;
}

}  // namespace
}  // namespace penstock::storage

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: read_bytes RANGE_BYTES URL...\n");
    return 2;
  }
  return penstock::storage::run(static_cast<std::size_t>(std::atoll(argv[1])),
                                {argv + 2, argv + argc});
}
