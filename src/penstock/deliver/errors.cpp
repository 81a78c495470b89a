// Counting and listing bad samples.
#include "penstock/deliver/errors.h"

#include <cmath>
#include <limits>
#include <utility>

namespace penstock::deliver {
namespace {

std::uint64_t max_bad(const pipeline::Plan& plan, const ErrorOptions& options) {
  if (options.on_error == OnError::kRaise) return std::numeric_limits<std::uint64_t>::max();
  if (options.max_count) return *options.max_count;
  const double own = static_cast<double>(plan.sequence().size()) / plan.spec().shard->world;
  return static_cast<std::uint64_t>(std::ceil(options.max_share * own));
}

}  // namespace

ManifestLine manifest_line(const source::Damage& damage) {
  return {.source = damage.source,
          .record = std::nullopt,
          .key = damage.key,
          .stage = "index",
          .message = concat(damage.message, ", at byte ", damage.offset)};
}

ManifestLine manifest_line(const pipeline::Plan& plan, const batch::BadSample& bad) {
  source::Origin origin = plan.source().origin(bad.sample);
  return {.source = std::move(origin.source),
          .record = origin.record,
          .key = std::move(origin.key),
          .stage = std::string(bad.stage),
          .message = std::string(bad.status.message())};
}

ErrorLog::ErrorLog(const pipeline::Plan& plan, const ErrorOptions& options, std::uint32_t epoch)
    : plan_(plan),
      max_bad_(max_bad(plan, options)),
      epoch_(epoch),
      num_bad_in_epoch_(options.num_known) {}

Result<std::unique_ptr<ErrorLog>> ErrorLog::open(const pipeline::Plan& plan,
                                                 const ErrorOptions& options, std::uint32_t epoch) {
  const bool is_share = options.max_share >= 0 && options.max_share <= 1;
  if (!options.max_count && !is_share) {
    return invalid_argument("max_errors is ", options.max_share,
                            ", expected a whole number or a share from 0 to 1");
  }
  std::unique_ptr<ErrorLog> log(new ErrorLog(plan, options, epoch));
  if (!options.manifest.empty()) {
    PENSTOCK_TRY_ASSIGN(ManifestWriter writer, ManifestWriter::open(options.manifest));
    log->manifest_.emplace(std::move(writer));
    const bool is_first_rank = plan.spec().shard->rank == 0;
    for (const source::Damage& damage :
         is_first_rank ? plan.source().damages() : std::span<const source::Damage>()) {
      PENSTOCK_TRY(log->manifest_->add(manifest_line(damage)));
    }
  }
  if (plan.source().damages().size() > log->max_bad_) {
    const source::Damage& first = plan.source().damages().front();
    return corrupt(first.source, ": ", first.message, "; ", plan.source().damages().size(),
                   " damages are more than max_errors allows, ", log->max_bad_);
  }
  return log;
}

Status ErrorLog::add(const batch::Batch& batch) {
  const std::scoped_lock lock(mutex_);
  if (batch.epoch != epoch_) {
    epoch_ = batch.epoch;
    num_bad_in_epoch_ = 0;
  }
  for (const batch::BadSample& bad : batch.bad) {
    ++num_bad_;
    ++num_bad_in_epoch_;
    if (manifest_) PENSTOCK_TRY(manifest_->add(manifest_line(plan_, bad)));
    if (num_bad_in_epoch_ > max_bad_) {
      return Status(bad.status.code(),
                    concat(plan_.source().sample_name(bad.sample), ": ", bad.status.message(), "; ",
                           num_bad_in_epoch_, " bad samples in epoch ", epoch_,
                           " are more than max_errors allows, ", max_bad_));
    }
  }
  return {};
}

std::uint64_t ErrorLog::num_bad() const {
  const std::scoped_lock lock(mutex_);
  return num_bad_;
}

std::uint64_t ErrorLog::num_bad_in_epoch() const {
  const std::scoped_lock lock(mutex_);
  return num_bad_in_epoch_;
}

}  // namespace penstock::deliver
