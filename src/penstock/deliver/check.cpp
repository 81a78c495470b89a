// A run of one sample.
#include "penstock/deliver/check.h"

#include <limits>
#include <utility>

namespace penstock::deliver {

SampleChecker::SampleChecker(const pipeline::Plan& plan)
    : plan_(plan), batch_(plan.layout()), clock_(counters_) {}

std::optional<batch::BadSample> SampleChecker::check(std::uint64_t sample) {
  loaded_.picks = {{.sample = sample, .pass = 0}};
  if (plan_.reads_storage()) {
    read_stretch({plan_}, loaded_, std::numeric_limits<std::size_t>::max(), counters_);
  }
  FillOutcome outcome = fill_sample(
      plan_, {.pick = loaded_.picks[0], .pieces = loaded_.pieces, .batch = &batch_, .index = 0},
      scratch_, clock_);
  if (outcome.status.ok()) return std::nullopt;
  return batch::BadSample{.index = 0,
                          .sample = sample,
                          .stage = kStageNames[static_cast<std::size_t>(outcome.stage)],
                          .status = std::move(outcome.status)};
}

}  // namespace penstock::deliver
