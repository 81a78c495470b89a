// Times of batches in a trainer's log.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "penstock/analyze/timing.h"

namespace penstock::analyze {
namespace {

constexpr std::string_view kMark = "batch_results:";

std::string_view skip_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

template <class T>
bool take_number(std::string_view& text, T& value) {
  text = skip_spaces(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// What stands after the mark: "N, MS".
Result<TimedBatch> parse_result(std::string_view text, std::size_t line_number) {
  TimedBatch batch;
  double time_ms = 0;
  std::string_view rest = text;
  bool is_good = take_number(rest, batch.number);
  rest = skip_spaces(rest);
  is_good = is_good && rest.starts_with(',');
  if (is_good) rest.remove_prefix(1);
  is_good = is_good && take_number(rest, time_ms) && std::isfinite(time_ms) && time_ms >= 0;
  if (!is_good) {
    return corrupt("line ", line_number, ": batch_results:", text.substr(0, 60),
                   ", expected a number and milliseconds, as in \"batch_results: 17, 103.5\"");
  }
  batch.step_s = time_ms / 1000;
  return batch;
}

// Of a whole batch only its time is known: the usual one is the step, and the rest was waiting.
void split_off_waits(std::vector<TimedBatch>& batches) {
  std::vector<double> times;
  times.reserve(batches.size());
  for (const TimedBatch& batch : batches) times.push_back(batch.step_s);
  // Fewer than half wait in most logs; where more do, the fastest quarter still does not.
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, quarter);
  for (TimedBatch& batch : batches) {
    batch.wait_s = std::max(0.0, batch.step_s - *quarter);
    batch.step_s -= batch.wait_s;
  }
}

}  // namespace

Result<std::vector<TimedBatch>> parse_batch_log(std::string_view log) {
  std::vector<TimedBatch> batches;
  for (std::size_t line_number = 1; !log.empty(); ++line_number) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) continue;
    PENSTOCK_TRY_ASSIGN(const TimedBatch batch,
                        parse_result(line.substr(mark + kMark.size()), line_number));
    batches.push_back(batch);
  }
  if (batches.empty()) return corrupt("no line has \"batch_results: N, MS\"");
  split_off_waits(batches);
  return batches;
}

}  // namespace penstock::analyze
