// What most sources have in common.
#include "penstock/source/source.h"

namespace penstock::source {

Status Source::parse_record(std::uint64_t, Bytes, std::span<const int>,
                            std::span<format::Feature>) const {
  return internal_error("samples of this source are not records with features");
}

bool Source::is_remote() const {
  if (num_objects() == 0) return false;
  const storage::Storage* first = storage(0);
  return first != nullptr && first->is_remote(object_path(0));
}

}  // namespace penstock::source
