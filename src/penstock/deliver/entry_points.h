// Entry points of the images of a plan: which image has which key, and the store that keeps them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/deliver/entry_point_store.h"
#include "penstock/pipeline/plan.h"
#include "penstock/source/index_file.h"
#include "penstock/source/source.h"

namespace penstock::deliver {

enum class EntryPointUse : std::uint8_t {
  kLearn,  // use what is known, and keep what is learnt
  kUse,    // use what is known
  kOff,
};
constexpr std::array<std::string_view, 3> enum_names(EntryPointUse) {
  return {"learn", "use", "off"};
}

// Whether a field may hold images in storage that are decoded in part.
bool has_entry_points(const pipeline::FieldPlan& field);

// Safe from any thread. The plan must outlive it.
class EntryPoints {
 public:
  // Null if none are to be used, the plan decodes no images in storage, or there is no place for
  // them.
  static std::unique_ptr<EntryPoints> open(const pipeline::Plan& plan, EntryPointUse use);

  EntryPointStore& store() const { return *store_; }

  // Of the image in a piece, which is called `feature` if the piece is a record. nullopt if there
  // is no place for what is learnt about it.
  std::optional<EntryPointKey> key_of(const source::Piece& piece, std::string_view feature) const;

 private:
  explicit EntryPoints(const source::Source& source) : source_(source) {}

  std::vector<EntryPointFolder> find_folders();

  const source::Source& source_;
  std::vector<std::pair<const source::IndexPlaces*, std::uint32_t>> numbers_;  // sorted
  std::unique_ptr<EntryPointStore> store_;
};

}  // namespace penstock::deliver
