// How fast this machine's memory is.
#pragma once

namespace penstock::deliver {

// Bytes a second that the cores of this process can write past their caches, all together. Measured
// at the first call, which takes some hundredths of a second; 0 where there are no such writes.
double memory_bytes_per_s();

}  // namespace penstock::deliver
