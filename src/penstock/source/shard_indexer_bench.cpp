// How fast the headers of a shard are walked, from memory.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "penstock/format/tar_writer.h"
#include "penstock/source/shard_indexer.h"

namespace penstock::source {
namespace {

// 5,000 samples of an image and a label.
std::vector<std::byte> make_shard(std::int64_t image_bytes) {
  const std::vector<std::byte> image(static_cast<std::size_t>(image_bytes));
  std::vector<std::byte> shard;
  bool is_good = true;
  for (int i = 0; i < 5000; ++i) {
    const Bytes label = Bytes(image).first(1);
    is_good = is_good && format::append_tar_member(shard, concat("image_", i, ".jpg"), image).ok();
    is_good = is_good && format::append_tar_member(shard, concat("image_", i, ".cls"), label).ok();
  }
  const std::vector<std::byte> end = format::tar_end();
  shard.insert(shard.end(), end.begin(), end.end());
  if (!is_good) shard.clear();
  return shard;
}

void BM_index_shard(benchmark::State& state) {
  const std::vector<std::byte> shard = make_shard(state.range(0));
  std::size_t num_members = 0;
  for (auto _ : state) {
    ShardIndexer indexer(shard.size());
    while (!indexer.is_done()) {
      const Bytes window = Bytes(shard).subspan(indexer.position(), indexer.wanted_bytes());
      indexer.take(window);
    }
    num_members += std::move(indexer).take_index().part_fields.size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(num_members));
}
BENCHMARK(BM_index_shard)->ArgName("image_bytes")->Arg(1'000)->Arg(20'000);

}  // namespace
}  // namespace penstock::source
