// The loop of a trainer in C++: reads a folder of images, prints what each epoch delivers.
//
//   train_loop FOLDER [EPOCHS]
#include <penstock/penstock.h>

#include <cstdio>
#include <cstdlib>

using penstock::Normalize;
using penstock::RandomFlip;
using penstock::RandomResizedCrop;

namespace {

int fail(const penstock::Status& status) {
  std::fprintf(stderr, "train_loop: %.*s\n", static_cast<int>(status.message().size()),
               status.message().data());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: train_loop FOLDER [EPOCHS]\n");
    return 2;
  }
  const auto run = penstock::folder(argv[1])
                       .shuffle({}, /*seed=*/7)
                       .image("image", RandomResizedCrop{224}, RandomFlip{}, Normalize{})
                       .label("label")
                       .epochs(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1)
                       .batch(16, "keep")
                       .run();
  if (!run.ok()) return fail(run.status());

  while (true) {
    const auto batch = (*run)->next();
    if (!batch.ok()) return fail(batch.status());
    if (*batch == nullptr) break;
    const auto* pixels = reinterpret_cast<const float*>((*batch)->array(0).data());
    std::printf("epoch %u batch %llu: %zu images, first pixel %.3f\n", (*batch)->epoch,
                static_cast<unsigned long long>((*batch)->number), (*batch)->count, pixels[0]);
  }
  std::printf("%llu images\n",
              static_cast<unsigned long long>((*run)->stats().now.trainer.samples));
  return 0;
}
