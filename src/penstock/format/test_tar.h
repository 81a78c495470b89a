// Tar headers field by field, right and wrong ones. Included by tests only.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "penstock/base/array.h"

namespace penstock::format {

inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// A header block with the fields that matter, and a right checksum unless told otherwise.
struct BlockFields {
  std::string name = "x";
  std::string size = "00000000000";  // as it stands in the header
  char type = '0';
  std::string magic = std::string("ustar\00000", 8);
  std::string prefix;
  std::string checksum;  // computed if empty
};

inline std::string sum_text(const std::string& block, bool is_signed) {
  long sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    if (i >= 148 && i < 156) {
      sum += ' ';
    } else {
      sum += is_signed ? static_cast<long>(static_cast<signed char>(block[i]))
                       : static_cast<long>(static_cast<unsigned char>(block[i]));
    }
  }
  char text[9];
  std::snprintf(text, sizeof text, "%06lo", static_cast<unsigned long>(sum));
  return std::string(text) + std::string("\0 ", 2);
}

inline std::string block(const BlockFields& fields, bool has_signed_sum = false) {
  std::string out(512, '\0');
  out.replace(0, fields.name.size(), fields.name);
  out.replace(124, fields.size.size(), fields.size);
  out[156] = fields.type;
  out.replace(257, fields.magic.size(), fields.magic);
  out.replace(345, fields.prefix.size(), fields.prefix);
  const std::string sum = fields.checksum.empty() ? sum_text(out, has_signed_sum) : fields.checksum;
  out.replace(148, sum.size(), sum);
  return out;
}

inline std::string octal(std::size_t size) {
  char text[13];
  std::snprintf(text, sizeof text, "%011zo", size);
  return text;
}

// Header, content and padding.
inline std::string member(BlockFields fields, std::string content) {
  fields.size = octal(content.size());
  content.resize((content.size() + 511) / 512 * 512);
  return block(fields) + content;
}

inline std::string file(const std::string& name, const std::string& content) {
  return member({.name = name}, content);
}

inline const std::string kEnd(1024, '\0');

}  // namespace penstock::format
