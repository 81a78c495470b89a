// Decodes JPEGs, held in memory, in one way and in N threads, and counts.
//   decode_compare METHOD THREADS WARMUP_SECONDS SECONDS LIST
// A line of the list is "x y width height path": the crop, and the file. Prints one JSON object.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "methods.h"

namespace penstock::decode {
namespace {

using Seconds = std::chrono::duration<double>;

bool decode(const EncodedImage& image, const ImageRequest& request, DecodeScratch& scratch) {
  return decode_image(image, request, {.applies_orientation = false}, scratch).ok();
}

// The size is read first, as whoever places a crop has to do.
bool penstock_whole(const BenchImage& image, BenchScratch& scratch) {
  const auto size = probe_image(image.bytes, {.applies_orientation = false});
  return size.ok() && decode(image.bytes, {{0, 0, size->width, size->height}}, scratch.decode);
}

bool penstock_crop(const BenchImage& image, BenchScratch& scratch) {
  return probe_image(image.bytes, {.applies_orientation = false}).ok() &&
         decode({image.bytes, image.entry_points}, {image.crop}, scratch.decode);
}

struct NamedMethod {
  std::string_view name;
  Method method;
  bool knows_entry_points = false;
  bool needs_plain_scan = false;
};

constexpr std::array kMethods = {
    NamedMethod{"libjpeg_whole", &libjpeg_whole},
    NamedMethod{"libjpeg_crop", &libjpeg_crop},
    NamedMethod{
        .name = "libjpeg_coefficients", .method = &libjpeg_coefficients, .needs_plain_scan = true},
    NamedMethod{"penstock_whole", &penstock_whole},
    NamedMethod{"penstock_crop", &penstock_crop},
    NamedMethod{
        .name = "penstock_crop_known", .method = &penstock_crop, .knows_entry_points = true},
    NamedMethod{.name = "penstock_coefficients",
                .method = &penstock_coefficients,
                .needs_plain_scan = true},
    NamedMethod{.name = "penstock_skip", .method = &penstock_skip, .needs_plain_scan = true},
};

std::vector<BenchImage> read_images(const char* list_path) {
  std::vector<BenchImage> images;
  std::ifstream list(list_path);
  BenchImage image;
  std::string path;
  while (list >> image.crop.x >> image.crop.y >> image.crop.width >> image.crop.height) {
    std::getline(list >> std::ws, path);
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    image.bytes.assign(begin, begin + text.size());
    images.push_back(image);
  }
  return images;
}

void learn_entry_points(std::vector<BenchImage>& images) {
  BenchScratch scratch;
  scratch.decode.learns_entry_points = true;
  for (BenchImage& image : images) {
    if (penstock_whole(image, scratch)) image.entry_points = scratch.decode.learnt;
  }
}

struct Counters {
  std::atomic<std::size_t> next{0};
  std::atomic<long> decoded{0};
  std::atomic<long> failed{0};
  std::atomic<bool> stops{false};
};

void decode_until_stopped(Method method, const std::vector<BenchImage>& images,
                          Counters& counters) {
  BenchScratch scratch;
  while (!counters.stops) {
    const BenchImage& image = images[counters.next++ % images.size()];
    ++(method(image, scratch) ? counters.decoded : counters.failed);
  }
}

int run(const NamedMethod& chosen, char** argv) {
  std::vector<BenchImage> images = read_images(argv[5]);
  if (chosen.needs_plain_scan) {
    std::erase_if(images, [](const BenchImage& image) { return !has_plain_scan(image); });
  }
  if (images.empty()) {
    std::fprintf(stderr, "decode_compare: no images in %s\n", argv[5]);
    return 1;
  }
  if (chosen.knows_entry_points) learn_entry_points(images);
  Counters counters;
  std::vector<std::jthread> threads;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    threads.emplace_back([&] { decode_until_stopped(chosen.method, images, counters); });
  }
  std::this_thread::sleep_for(Seconds(std::atof(argv[3])));
  const long before = counters.decoded;
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(Seconds(std::atof(argv[4])));
  const long decoded = counters.decoded - before;
  const double elapsed_s = Seconds(std::chrono::steady_clock::now() - start).count();
  counters.stops = true;
  threads.clear();
  std::printf("{\"images_per_s\": %.2f, \"failed\": %ld, \"images\": %zu}\n",
              static_cast<double>(decoded) / elapsed_s, counters.failed.load(), images.size());
  return 0;
}

}  // namespace
}  // namespace penstock::decode

int main(int argc, char** argv) {
  using penstock::decode::kMethods;
  if (argc == 6) {
    for (const auto& method : kMethods) {
      if (method.name == argv[1]) return penstock::decode::run(method, argv);
    }
  }
  std::fprintf(stderr, "usage: decode_compare METHOD THREADS WARMUP_SECONDS SECONDS LIST\n");
  for (const auto& method : kMethods) std::fprintf(stderr, "  %s\n", method.name.data());
  return 2;
}
