// The instruction sets that kernels are compiled for. To be included before Highway, by all of
// them: Highway looks for the best in a table whose order depends on these macros, in an inline
// function of which a build without optimisation keeps one copy for all.
#pragma once

// Every 64-bit x86 CPU since 2010 has SSE4. What lies below gets Highway's emulation, which Highway
// itself avoids for this compiler because of a wrongly compiled operation; the tests, which run
// every target, show that it does no harm here.
#define HWY_BROKEN_EMU128 0
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
