// The figures of a run in the text format of Prometheus.
#pragma once

#include <string>

#include "penstock/deliver/run.h"

namespace penstock::serve {

// Every name begins with "penstock_". Counters begin again with a new run.
std::string print_metrics(const deliver::RunStats& stats);

}  // namespace penstock::serve
