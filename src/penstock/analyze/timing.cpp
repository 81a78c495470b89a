// Outliers, their rhythm, and what it means.
#include "penstock/analyze/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "penstock/analyze/text.h"

namespace penstock::analyze {
namespace {

// A wait is long if it is above the usual by this share of a step, and by this much.
constexpr double kLongOfStep = 0.25;
constexpr double kLongSeconds = 0.001;
// Outliers have a rhythm if so many of the distances between them are the same.
constexpr double kRegularShare = 0.7;
constexpr std::size_t kMinOutliers = 3;
constexpr double kFed = 0.02;

template <class Of>
std::vector<double> all_of(const std::vector<TimedBatch>& batches, Of of) {
  std::vector<double> out;
  out.reserve(batches.size());
  for (const TimedBatch& batch : batches) out.push_back(of(batch));
  return out;
}

// The distance that is most common, and how common it is.
void find_period(const std::vector<std::uint64_t>& numbers, Outliers& outliers) {
  if (numbers.size() < kMinOutliers) return;
  std::map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 1; i < numbers.size(); ++i) ++counts[numbers[i] - numbers[i - 1]];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  outliers.regular_share =
      static_cast<double>(most->second) / static_cast<double>(numbers.size() - 1);
  if (outliers.regular_share >= kRegularShare) outliers.period = most->first;
}

Outliers find_outliers(const std::vector<TimedBatch>& batches, const Timing& timing) {
  Outliers out;
  out.threshold_s = timing.median_wait_s + std::max(kLongSeconds, kLongOfStep * timing.step_s);
  std::vector<std::uint64_t> numbers;
  for (const TimedBatch& batch : batches) {
    if (batch.wait_s <= out.threshold_s) continue;
    numbers.push_back(batch.number);
    out.mean_s += batch.wait_s;
  }
  out.count = numbers.size();
  if (out.count > 0) out.mean_s /= static_cast<double>(out.count);
  find_period(numbers, out);
  return out;
}

std::string cause_of(const Timing& timing) {
  const Outliers& outliers = timing.outliers;
  const double waiting = timing.wait_s / timing.total_s;
  if (waiting < kFed) return "the trainer is fed: it hardly ever waits";
  if (outliers.period >= 2) {
    return fmt::format(
        "every {} batches one waits {:.0f} ms: {} workers that each load a whole batch, or one "
        "file "
        "in {} batches; each load takes about {:.0f} ms, {} steps",
        outliers.period, 1000 * outliers.mean_s, outliers.period, outliers.period,
        1000 * (outliers.mean_s + static_cast<double>(outliers.period) * timing.step_s),
        print_rate(static_cast<double>(outliers.period) +
                   outliers.mean_s / std::max(timing.step_s, 1e-9)));
  }
  const double of_outliers = outliers.mean_s * static_cast<double>(outliers.count);
  if (of_outliers < timing.wait_s / 2) {
    return fmt::format("almost every batch waits about {:.0f} ms: loading is slower than the step",
                       1000 * timing.median_wait_s);
  }
  return fmt::format(
      "{} batches wait {:.0f} ms without a rhythm: slow reads, or a machine that is shared; more "
      "prefetched batches would hide them",
      outliers.count, 1000 * outliers.mean_s);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Timing analyze_timing(const std::vector<TimedBatch>& all) {
  Timing timing;
  if (all.size() < 3) return timing;
  const std::vector<TimedBatch> batches(all.begin() + 1, all.end());
  const auto waits = all_of(batches, [](const TimedBatch& batch) { return batch.wait_s; });
  const auto steps = all_of(batches, [](const TimedBatch& batch) { return batch.step_s; });
  timing.num_batches = batches.size();
  timing.wait_s = std::reduce(waits.begin(), waits.end());
  const double compute_s = std::reduce(steps.begin(), steps.end());
  timing.total_s = timing.wait_s + compute_s;
  timing.step_s = median(steps);
  timing.median_wait_s = median(waits);
  timing.longest_wait_s = *std::ranges::max_element(waits);
  timing.utilisation = timing.total_s > 0 ? compute_s / timing.total_s : 0;
  timing.outliers = find_outliers(batches, timing);
  timing.cause = cause_of(timing);
  return timing;
}

std::vector<TimedBatch> timed_batches(const std::vector<deliver::BatchTime>& times) {
  std::vector<TimedBatch> out;
  out.reserve(times.size());
  for (const deliver::BatchTime& time : times) {
    out.push_back({time.number, time.wait_s, time.map_s + time.step_s});
  }
  return out;
}

std::string print(const Timing& timing) {
  if (timing.num_batches == 0) return "too few batches to say anything\n";
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value, std::string_view unit) {
    text += fmt::format("  {:<28}{:>12} {}\n", name, value, unit);
  };
  const auto row = [&](std::string_view name, double value, std::string_view unit) {
    add(name, fmt::format("{:.1f}", value), unit);
  };
  add("batches", std::to_string(timing.num_batches), "");
  row("step, median", 1000 * timing.step_s, "ms");
  row("wait, median", 1000 * timing.median_wait_s, "ms");
  row("wait, longest", 1000 * timing.longest_wait_s, "ms");
  row("waiting in all", timing.wait_s, "s");
  row("of the time", 100 * timing.wait_s / timing.total_s, "%");
  row("accelerator utilisation", 100 * timing.utilisation, "%");
  add("long waits", std::to_string(timing.outliers.count),
      fmt::format("above {:.1f} ms", 1000 * timing.outliers.threshold_s));
  if (timing.outliers.period > 0) {
    add("their period", std::to_string(timing.outliers.period), "batches");
  }
  return text + "\n" + wrapped(timing.cause, 80) + "\n";
}

}  // namespace penstock::analyze
