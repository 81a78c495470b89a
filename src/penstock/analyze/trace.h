// A run as a timeline for chrome://tracing or ui.perfetto.dev.
#pragma once

#include <string>

#include "penstock/deliver/run.h"

namespace penstock::analyze {

// The last thousand groups of each thread and the last batches of the consumer, as JSON in Chrome's
// trace event format.
std::string chrome_trace(const deliver::Run& run);

}  // namespace penstock::analyze
