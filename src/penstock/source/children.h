// The sources that another source is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/base/result.h"
#include "penstock/source/source.h"

namespace penstock::source {

// Owns them, and numbers their objects through: those of child 1 behind those of child 0.
class Children {
 public:
  // Fails if there are none, or more objects than 32 bits can number.
  static Result<Children> make(std::vector<std::unique_ptr<Source>> sources);

  std::size_t size() const { return sources_.size(); }
  const Source& operator[](std::size_t child) const { return *sources_[child]; }
  // "source 1 (train.tar)".
  std::string name(std::size_t child) const;

  // What a child located, with the number its object has here.
  Result<Piece> renumbered(Result<Piece> piece, std::size_t child) const;
  std::uint64_t num_objects() const { return object_ends_.back(); }
  const storage::Storage* storage(std::uint32_t object) const;
  std::string_view object_path(std::uint32_t object) const;
  std::uint64_t object_bytes(std::uint32_t object) const;
  bool is_remote() const;
  const IndexPlaces* entry_point_places(std::uint32_t object) const;

  std::span<const Damage> damages() const { return damages_; }
  std::uint64_t fingerprint(std::string_view kind) const;
  std::uint64_t memory_bytes() const;

 private:
  struct Place {
    std::size_t child = 0;
    std::uint32_t object = 0;  // in the child
  };
  Place place_of(std::uint32_t object) const;

  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::uint64_t> object_ends_;  // the first object behind each child
  std::vector<Damage> damages_;
};

// "bytes", "array u8 of shape 32x32x3", "feature".
std::string describe_field(const FieldInfo& field);
// "jpg, cls".
std::string list_fields(std::span<const FieldInfo> fields);

}  // namespace penstock::source
