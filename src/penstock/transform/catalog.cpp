// The list of ops.
#include "penstock/transform/catalog.h"

#include <algorithm>
#include <string>
#include <vector>

namespace penstock::transform {

OpDef brightness_op();
OpDef center_crop_op();
OpDef color_jitter_op();
OpDef contrast_op();
OpDef grayscale_op();
OpDef hue_op();
OpDef normalize_op();
OpDef pad_op();
OpDef random_crop_op();
OpDef random_flip_op();
OpDef random_resized_crop_op();
OpDef resize_op();
OpDef saturation_op();

namespace {

// Levenshtein's distance: how many letters to change, add or drop.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

Status unknown_op(std::string_view name) {
  const auto nearest = std::ranges::min_element(
      ops(), {}, [&](const OpDef& op) { return edit_distance(name, op.name); });
  if (edit_distance(name, nearest->name) <= nearest->name.size() / 3) {
    return invalid_argument("no op '", name, "', did you mean ", nearest->name);
  }
  std::string names;
  for (const OpDef& op : ops()) {
    if (!names.empty()) names += ", ";
    names += op.name;
  }
  return invalid_argument("no op '", name, "', expected one of: ", names);
}

}  // namespace

std::span<const OpDef> ops() {
  static const std::vector<OpDef> list = {
      brightness_op(),  center_crop_op(), color_jitter_op(),        contrast_op(),
      grayscale_op(),   hue_op(),         normalize_op(),           pad_op(),
      random_crop_op(), random_flip_op(), random_resized_crop_op(), resize_op(),
      saturation_op(),
  };
  return list;
}

Result<std::shared_ptr<const Op>> bind_op(const OptionText& text) {
  const auto found = std::ranges::find(ops(), text.name, &OpDef::name);
  if (found == ops().end()) return unknown_op(text.name);
  return found->bind(text.options);
}

}  // namespace penstock::transform
