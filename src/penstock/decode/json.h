// Whether text is JSON.
#pragma once

#include "penstock/base/array.h"
#include "penstock/base/result.h"

namespace penstock::decode {

// One JSON value (RFC 8259) and blanks around it. Fails with kCorrupt, naming the byte, and with
// kUnsupported where lists and objects are nested deeper than other parsers follow.
Status check_json(Bytes bytes);

}  // namespace penstock::decode
