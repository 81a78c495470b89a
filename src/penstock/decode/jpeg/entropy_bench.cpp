// Entropy decoding and skipping, beside libjpeg-turbo reading coefficients.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <functional>
#include <memory>

#include "penstock/decode/jpeg/entropy.h"
// jpeglib.h needs size_t and FILE to be declared before it.
#include <jpeglib.h>

#include "penstock/decode/jpeg/test_images.h"
#include "penstock/decode/jpeg/test_limit.h"
#include "penstock/decode/jpeg/test_scan.h"

namespace penstock::decode {
namespace {

// Files without restart markers.
std::vector<std::unique_ptr<OpenScan>> open_scans() {
  std::vector<std::unique_ptr<OpenScan>> scans;
  for (const Encoded& bytes : bench_images()) {
    if (read_frame(bytes)->restart_interval > 0) continue;
    scans.push_back(std::make_unique<OpenScan>(bytes));
  }
  return scans;
}

void report(benchmark::State& state, const std::vector<std::unique_ptr<OpenScan>>& scans) {
  double bits = 0;
  for (const auto& scan : scans) bits += static_cast<double>(scan->size_bytes) * 8;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scans.size()));
  state.counters["bits"] = benchmark::Counter(bits * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate);
}

void read_by_libjpeg() {
  for (const Encoded& bytes : bench_images()) {
    if (read_frame(bytes)->restart_interval > 0) continue;
    jpeg_decompress_struct cinfo;
    jpeg_error_mgr errors;
    cinfo.err = jpeg_std_error(&errors);
    errors.emit_message = [](j_common_ptr, int) {};
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&cinfo, TRUE);
    benchmark::DoNotOptimize(jpeg_read_coefficients(&cinfo));
    jpeg_destroy_decompress(&cinfo);
  }
}

// How much faster than libjpeg-turbo, which also unstuffs, makes its tables and keeps all
// coefficients: there is no way to have it read them alone.
void run_beside_libjpeg(benchmark::State& state, const std::function<void()>& body) {
  for (auto _ : state) body();
  state.counters["times_libjpeg"] = best_seconds(read_by_libjpeg) / best_seconds(body);
}

void BM_decode_mcus(benchmark::State& state) {
  const auto scans = open_scans();
  std::array<std::int16_t, McuLayout::kMaxBlocks * kBlockSize> block{};
  run_beside_libjpeg(state, [&] {
    for (const auto& scan : scans) {
      EntropyState position = scan->begin();
      for (int i = 0; i < scan->num_mcus(); ++i) {
        block.fill(0);
        benchmark::DoNotOptimize(decode_mcus(scan->layout, 1, scan->end(), position, block.data()));
      }
    }
  });
  report(state, scans);
}
BENCHMARK(BM_decode_mcus)->Unit(benchmark::kMicrosecond);

void BM_skip_mcus(benchmark::State& state) {
  const auto scans = open_scans();
  run_beside_libjpeg(state, [&] {
    for (const auto& scan : scans) {
      EntropyState position = scan->begin();
      benchmark::DoNotOptimize(skip_mcus(scan->layout, scan->num_mcus(), scan->end(), position));
    }
  });
  report(state, scans);
}
BENCHMARK(BM_skip_mcus)->Unit(benchmark::kMicrosecond);

void BM_libjpeg_coefficients(benchmark::State& state) {
  const auto scans = open_scans();
  for (auto _ : state) read_by_libjpeg();
  report(state, scans);
}
BENCHMARK(BM_libjpeg_coefficients)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace penstock::decode
