// Options that several commands have.
#include "job_options.h"

#include "measure.h"

namespace penstock::cli {

void add_transform_option(CLI::App& app, std::string& transform, const char* help) {
  app.add_option("--transform", transform, help)
      ->check(CLI::IsMember(kTransforms))
      ->capture_default_str();
}

void add_threads_option(CLI::App& app, int& threads, const char* help) {
  app.add_option("--threads", threads, help)->check(CLI::Range(0, 1024))->capture_default_str();
}

void add_prefetch_option(CLI::App& app, int& prefetch) {
  app.add_option("--prefetch", prefetch, "Batches kept ready beside the one being filled")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

void add_batch_option(CLI::App& app, std::uint64_t& batch, const char* help) {
  app.add_option("--batch", batch, help)->check(CLI::Range(1, 1 << 20))->capture_default_str();
}

void add_seconds_option(CLI::App& app, double& seconds, const char* help) {
  app.add_option("--seconds", seconds, help)->check(CLI::Range(0.1, 3600.0))->capture_default_str();
}

}  // namespace penstock::cli
