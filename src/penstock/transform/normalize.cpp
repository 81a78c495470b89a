// Centres and scales the values of each channel.
#include <cmath>

#include "penstock/transform/op.h"

namespace penstock::transform {
namespace {

struct Normalize {
  static constexpr std::string_view kName = "normalize";
  static constexpr std::string_view kDoc =
      "Subtract the mean and divide by the deviation of each channel; the last colour op.";

  // ImageNet's.
  std::vector<double> mean = {0.485, 0.456, 0.406};
  std::vector<double> std = {0.229, 0.224, 0.225};

  static constexpr auto fields() {
    return std::tuple{
        Field{"mean", &Normalize::mean, "Of values in 0..1: one number, or one a channel."},
        Field{"std", &Normalize::std, "Of values in 0..1: one number, or one a channel."}};
  }

  Status check() const {
    PENSTOCK_TRY(check_list("mean", mean));
    PENSTOCK_TRY(check_list("std", std));
    for (const double value : std) {
      if (value <= 0) return invalid_argument("std is ", value, ", expected a positive value");
    }
    return {};
  }

  Colour draw(Rng) const {
    return {.is_normalized = true, .mean = by_channel(mean), .deviation = by_channel(std)};
  }

 private:
  static Status check_list(std::string_view name, const std::vector<double>& values) {
    if (values.size() != 1 && values.size() != 3) {
      return invalid_argument(name, " has ", values.size(), " numbers, expected 1 or 3");
    }
    for (const double value : values) {
      if (!std::isfinite(value)) {
        return invalid_argument(name, " is ", value, ", expected a finite value");
      }
    }
    return {};
  }

  static std::array<double, 3> by_channel(const std::vector<double>& values) {
    const std::size_t n = values.size();
    return {values[0], values[1 % n], values[2 % n]};
  }
};

}  // namespace

OpDef normalize_op() { return define_op<Normalize>(); }

}  // namespace penstock::transform
