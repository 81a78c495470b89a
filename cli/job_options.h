// Options that several commands have, with the same limits and, unless one is given, the same help.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace penstock::cli {

inline constexpr const char* kTransformHelp =
    "train: random_resized_crop 224, flip, normalize; eval: resize 256, center_crop 224, "
    "normalize; "
    "resize: resize to 224x224, normalize; none: resize to 224x224, u8";

// The value that is there is the default.
void add_transform_option(CLI::App& app, std::string& transform, const char* help = kTransformHelp);
void add_threads_option(CLI::App& app, int& threads,
                        const char* help = "Threads that decode; 0: one for each core");
void add_prefetch_option(CLI::App& app, int& prefetch);
void add_batch_option(CLI::App& app, std::uint64_t& batch, const char* help = "Samples in a batch");
void add_seconds_option(CLI::App& app, double& seconds, const char* help = "How long to measure");

}  // namespace penstock::cli
