// The ops, for C++. Written by tools/generate_ops.py from the catalog; do not edit.
#pragma once

#include <array>
#include <string>

#include "penstock/base/fields.h"
#include "penstock/option_value.h"

namespace penstock {

// Multiply the image by a random factor.
struct Brightness {
  // The factor is drawn from [max(0, 1 - amount), 1 + amount].
  double amount = 0.4;

  OptionText text() const { return {"brightness", {{"amount", option_value(amount)}}}; }
};

// Cut out the middle of the image; a smaller image is padded with black first.
struct CenterCrop {
  // Both sides, or height and width.
  Numbers<int> size = {224};

  OptionText text() const { return {"center_crop", {{"size", option_value(size)}}}; }
};

// Change brightness, contrast, saturation and hue by random amounts, in random order.
struct ColorJitter {
  // The factor is drawn from [max(0, 1 - brightness), 1 + brightness].
  double brightness = 0;
  // Likewise, around the fixed middle 0.5.
  double contrast = 0;
  // Likewise.
  double saturation = 0;
  // Drawn from [-hue, hue], in turns, at most 0.5.
  double hue = 0;

  OptionText text() const {
    return {"color_jitter",
            {{"brightness", option_value(brightness)},
             {"contrast", option_value(contrast)},
             {"saturation", option_value(saturation)},
             {"hue", option_value(hue)}}};
  }
};

// Move values away from a fixed center by a random factor (torchvision: from the image's mean).
struct Contrast {
  // The factor is drawn from [max(0, 1 - amount), 1 + amount].
  double amount = 0.4;
  // The value that stays, in 0..1.
  double center = 0.5;

  OptionText text() const {
    return {"contrast", {{"amount", option_value(amount)}, {"center", option_value(center)}}};
  }
};

// Take the colour out of the image, at random; three equal channels stay.
struct Grayscale {
  // Chance that the image becomes gray, in [0, 1].
  double probability = 1;

  OptionText text() const { return {"grayscale", {{"probability", option_value(probability)}}}; }
};

// Turn colours around the gray axis of YIQ by a random angle (torchvision: the hue of HSV).
struct Hue {
  // The angle is drawn from [-amount, amount], in turns, at most 0.5.
  double amount = 0.1;

  OptionText text() const { return {"hue", {{"amount", option_value(amount)}}}; }
};

// Subtract the mean and divide by the deviation of each channel; the last colour op.
struct Normalize {
  // Of values in 0..1: one number, or one a channel.
  Numbers<double> mean = {0.485, 0.456, 0.406};
  // Of values in 0..1: one number, or one a channel.
  Numbers<double> std = {0.229, 0.224, 0.225};

  OptionText text() const {
    return {"normalize", {{"mean", option_value(mean)}, {"std", option_value(std)}}};
  }
};

// Add a border of one colour.
struct Pad {
  // Pixels on every side; left/right and top/bottom; or left, top, right, bottom.
  Numbers<int> padding = {0};
  // Colour in 0..255: one number, or red, green and blue. It passes through the colour ops as any
  // pixel.
  Numbers<int> fill = {0};

  OptionText text() const {
    return {"pad", {{"padding", option_value(padding)}, {"fill", option_value(fill)}}};
  }
};

// Cut out a window of fixed size at a random place.
struct RandomCrop {
  // Both sides, or height and width.
  Numbers<int> size = {224};
  // Border added first: on every side; left/right and top/bottom; or left, top, right, bottom.
  Numbers<int> padding = {0};
  // Whether an image smaller than size is padded; otherwise it is an error.
  bool pad_if_needed = false;
  // Colour of the border in 0..255: one number, or red, green and blue.
  Numbers<int> fill = {0};

  OptionText text() const {
    return {"random_crop",
            {{"size", option_value(size)},
             {"padding", option_value(padding)},
             {"pad_if_needed", option_value(pad_if_needed)},
             {"fill", option_value(fill)}}};
  }
};

// Mirror the image left to right, at random.
struct RandomFlip {
  // Chance of a flip, in [0, 1].
  double probability = 0.5;

  OptionText text() const { return {"random_flip", {{"probability", option_value(probability)}}}; }
};

// Cut out a window of random area, aspect and place, and resize it.
struct RandomResizedCrop {
  // Both sides of the result, or height and width.
  Numbers<int> size = {224};
  // Least and greatest area of the window, as a share of the image's.
  std::array<double, 2> scale = {0.08, 1};
  // Least and greatest width of the window divided by its height.
  std::array<double, 2> ratio = {0.75, 1.3333333333333333};
  // How pixels are resampled; smoothed when the window shrinks.
  std::string filter = "bilinear";

  OptionText text() const {
    return {"random_resized_crop",
            {{"size", option_value(size)},
             {"scale", option_value(scale)},
             {"ratio", option_value(ratio)},
             {"filter", option_value(filter)}}};
  }
};

// Resize the image: size=N makes the shorter side N and keeps the aspect, size=H,W is exact.
struct Resize {
  // Length of the shorter side, or height and width.
  Numbers<int> size = {256};
  // How pixels are resampled; smoothed when it shrinks.
  std::string filter = "bilinear";

  OptionText text() const {
    return {"resize", {{"size", option_value(size)}, {"filter", option_value(filter)}}};
  }
};

// Blend the image with its gray version by a random factor.
struct Saturation {
  // The factor is drawn from [max(0, 1 - amount), 1 + amount].
  double amount = 0.4;

  OptionText text() const { return {"saturation", {{"amount", option_value(amount)}}}; }
};

}  // namespace penstock
