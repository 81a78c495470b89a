// Every op there is. Python methods, command-line help, docs and contract tests come from here.
#pragma once

#include <memory>
#include <span>

#include "penstock/base/fields.h"
#include "penstock/base/result.h"
#include "penstock/transform/op.h"

namespace penstock::transform {

std::span<const OpDef> ops();

// The op that `text` names, with its options. Fails with kInvalidArgument if there is none of that
// name, telling the names there are, or if the options are wrong.
Result<std::shared_ptr<const Op>> bind_op(const OptionText& text);

}  // namespace penstock::transform
