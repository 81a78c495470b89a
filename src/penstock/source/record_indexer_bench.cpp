// How fast the headers of a TFRecord shard are walked, and searched behind damage, from memory.
#include <benchmark/benchmark.h>

#include <vector>

#include "penstock/format/tfrecord_writer.h"
#include "penstock/source/record_indexer.h"

namespace penstock::source {
namespace {

// 5,000 records.
std::vector<std::byte> make_shard(std::int64_t record_bytes) {
  const std::vector<std::byte> record(static_cast<std::size_t>(record_bytes), std::byte{17});
  std::vector<std::byte> shard;
  for (int i = 0; i < 5000; ++i) format::append_tfrecord(shard, record);
  return shard;
}

std::size_t count_records(Bytes shard) {
  RecordIndexer indexer(shard.size());
  while (!indexer.is_done()) {
    const Bytes window = shard.subspan(indexer.position(), indexer.wanted_bytes());
    indexer.take(window);
  }
  return std::move(indexer).take_index().offsets.size();
}

void BM_index_records(benchmark::State& state) {
  const std::vector<std::byte> shard = make_shard(state.range(0));
  std::size_t num_records = 0;
  for (auto _ : state) num_records += count_records(shard);
  state.SetItemsProcessed(static_cast<std::int64_t>(num_records));
}
BENCHMARK(BM_index_records)->ArgName("record_bytes")->Arg(1'000)->Arg(20'000);

// No header anywhere.
void BM_search_records(benchmark::State& state) {
  const std::vector<std::byte> shard(10'000'000, std::byte{17});
  for (auto _ : state) benchmark::DoNotOptimize(count_records(shard));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(shard.size()));
}
BENCHMARK(BM_search_records);

}  // namespace
}  // namespace penstock::source
