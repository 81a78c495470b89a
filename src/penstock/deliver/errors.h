// What becomes of bad samples: the policy, how many are borne, and the record of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "penstock/base/result.h"
#include "penstock/batch/batch.h"
#include "penstock/deliver/manifest.h"
#include "penstock/pipeline/plan.h"

namespace penstock::deliver {

enum class OnError : std::uint8_t {
  kRaise,    // the batch is handed over as the failure
  kSkip,     // the batch is smaller
  kReplace,  // another sample of the same window takes its place
};
constexpr std::array<std::string_view, 3> enum_names(OnError) {
  return {"raise", "skip", "replace"};
}

struct ErrorOptions {
  OnError on_error = OnError::kRaise;
  // How many bad samples an epoch of this rank may have: a number, else a share of its samples.
  std::optional<std::uint64_t> max_count;
  double max_share = 0.1;
  std::string manifest;         // file to list them in; empty: none
  std::uint64_t num_known = 0;  // bad samples of the first epoch before the run began
};

// As a manifest lists them.
ManifestLine manifest_line(const source::Damage& damage);
ManifestLine manifest_line(const pipeline::Plan& plan, const batch::BadSample& bad);

// Told of every batch in the order it is handed over, so that what it says and when it gives up do
// not depend on the number of threads. Safe from any thread.
class ErrorLog {
 public:
  // Lists what is broken in the source itself. Fails if that is more than is borne, or the manifest
  // cannot be written.
  static Result<std::unique_ptr<ErrorLog>> open(const pipeline::Plan& plan,
                                                const ErrorOptions& options, std::uint32_t epoch);

  // Fails with the last bad sample once there are more than are borne.
  Status add(const batch::Batch& batch);

  // Over the whole run.
  std::uint64_t num_bad() const;
  // Since the present epoch began, also before a resume: what a checkpoint keeps.
  std::uint64_t num_bad_in_epoch() const;

 private:
  ErrorLog(const pipeline::Plan& plan, const ErrorOptions& options, std::uint32_t epoch);

  const pipeline::Plan& plan_;
  const std::uint64_t max_bad_;  // in an epoch
  std::optional<ManifestWriter> manifest_;

  mutable std::mutex mutex_;
  std::uint32_t epoch_;
  std::uint64_t num_bad_in_epoch_;
  std::uint64_t num_bad_ = 0;
};

}  // namespace penstock::deliver
