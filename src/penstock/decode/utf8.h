// Whether text is UTF-8.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. Fails
// with kCorrupt, naming the byte at which the first bad character begins.
Status check_utf8(Bytes bytes);

}  // namespace penstock::decode
