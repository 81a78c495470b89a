// The header of an .npy file: magic, version, and a Python dictionary of three known keys.
#include "penstock/decode/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace penstock::decode {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// numpy refuses to evaluate longer ones too, by default at 10,000 bytes.
constexpr std::size_t kMaxHeaderBytes = 64 << 10;

struct TypeName {
  std::string_view descr;
  DType dtype;
};
constexpr std::array kTypes = {
    TypeName{"|u1", DType::kU8},  TypeName{"|b1", DType::kU8},  TypeName{"<i4", DType::kI32},
    TypeName{"<i8", DType::kI64}, TypeName{"<f2", DType::kF16}, TypeName{"<f4", DType::kF32},
    TypeName{"<f8", DType::kF64},
};

// What the dictionary says. Each key must come once.
struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> is_fortran;
  std::optional<Shape> shape;
};

// Reads the dictionary from left to right. Not a Python parser: strings have no escapes, numbers no
// signs.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t position) : text_(text), begin_(position) {}

  Result<Header> parse() {
    Header header;
    if (!take('{')) return unexpected("'{'");
    while (!take('}')) {
      PENSTOCK_TRY(parse_entry(header));
      if (take(',')) continue;
      if (!take('}')) return unexpected("',' or '}'");
      break;
    }
    skip_blanks();
    if (next_ != text_.size()) return unexpected("the end of the header");
    if (!header.descr || !header.is_fortran || !header.shape) {
      return corrupt("header lacks ", !header.descr        ? "descr"
                                      : !header.is_fortran ? "fortran_order"
                                                           : "shape");
    }
    return header;
  }

 private:
  Status parse_entry(Header& header) {
    PENSTOCK_TRY_ASSIGN(const std::string_view key, parse_string());
    if (!take(':')) return unexpected("':'");
    if (key == "descr" && !header.descr) {
      // Records with named fields have a list there.
      if (take('[')) return unsupported("structured arrays are not read");
      PENSTOCK_TRY_ASSIGN(header.descr, parse_string());
    } else if (key == "fortran_order" && !header.is_fortran) {
      PENSTOCK_TRY_ASSIGN(header.is_fortran, parse_bool());
    } else if (key == "shape" && !header.shape) {
      PENSTOCK_TRY_ASSIGN(header.shape, parse_shape());
    } else {
      return corrupt("header has a key '", key.substr(0, 20), "' at byte ", begin_ + next_,
                     ", expected descr, fortran_order and shape, once each");
    }
    return {};
  }

  Result<std::string_view> parse_string() {
    skip_blanks();
    const char quote = next_ < text_.size() ? text_[next_] : '\0';
    if (quote != '\'' && quote != '"') return unexpected("a quoted word");
    const std::size_t end = text_.find(quote, next_ + 1);
    if (end == std::string_view::npos) return unexpected("a closing quote");
    const std::string_view word = text_.substr(next_ + 1, end - next_ - 1);
    next_ = end + 1;
    return word;
  }

  Result<bool> parse_bool() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(next_).starts_with(word)) continue;
      next_ += word.size();
      return value;
    }
    return unexpected("True or False");
  }

  // "()", "(3,)", "(3, 2)".
  Result<Shape> parse_shape() {
    if (!take('(')) return unexpected("'('");
    std::vector<std::int64_t> sides;
    while (!take(')')) {
      PENSTOCK_TRY_ASSIGN(const std::int64_t side, parse_side());
      if (sides.size() == Shape::kMaxRank) {
        return unsupported("has more than ", Shape::kMaxRank, " dimensions");
      }
      sides.push_back(side);
      // A tuple of one needs its comma.
      if (take(',')) continue;
      if (sides.size() < 2 || !take(')')) return unexpected("',' or ')'");
      break;
    }
    return Shape(sides);
  }

  Result<std::int64_t> parse_side() {
    skip_blanks();
    std::int64_t side = 0;
    const char* const begin = text_.data() + next_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), side);
    if (error != std::errc{} || *begin == '-') return unexpected("a length");
    next_ += static_cast<std::size_t>(end - begin);
    return side;
  }

  bool take(char c) {
    skip_blanks();
    if (next_ == text_.size() || text_[next_] != c) return false;
    ++next_;
    return true;
  }

  void skip_blanks() { next_ = std::min(text_.find_first_not_of(" \t\n", next_), text_.size()); }

  Status unexpected(std::string_view expected) const {
    const std::string_view found = text_.substr(std::min(next_, text_.size()), 10);
    return corrupt("header has '", found, "' at byte ", begin_ + next_, ", expected ", expected);
  }

  std::string_view text_;
  std::size_t begin_;  // of the text in the file
  std::size_t next_ = 0;
};

// Little-endian.
std::size_t read_length(Bytes bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | std::to_integer<std::size_t>(bytes[i - 1]);
  }
  return value;
}

// The dictionary, and where it begins.
Result<HeaderParser> find_header(Bytes bytes, std::size_t& values_begin) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) return corrupt("does not begin as .npy files do");
  if (bytes.size() < 12) return corrupt("truncated after ", bytes.size(), " bytes of the header");
  const int version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3) {
    return unsupported("version ", version, " of the format, expected 1, 2 or 3");
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length = read_length(bytes.subspan(8, begin - 8));
  if (length > kMaxHeaderBytes) {
    return corrupt("header of ", length, " bytes, expected at most ", kMaxHeaderBytes);
  }
  if (length > bytes.size() - begin) {
    return corrupt("truncated after ", bytes.size(), " of ", begin + length,
                   " bytes of the header");
  }
  values_begin = begin + length;
  return HeaderParser(text.substr(begin, length), begin);
}

Result<DType> dtype_of(std::string_view descr) {
  for (const TypeName& type : kTypes) {
    if (type.descr == descr) return type.dtype;
  }
  return unsupported("element type '", descr.substr(0, 20),
                     "', expected u1, i4, i8, f2, f4, f8 or bool, little-endian");
}

// Nullopt if there are more than memory could hold.
std::optional<std::size_t> bytes_of(const Shape& shape, DType dtype) {
  std::size_t bytes = size_bytes(dtype);
  if (std::ranges::find(shape.sides(), 0) != shape.sides().end()) return 0;
  for (const std::int64_t side : shape.sides()) {
    const auto length = static_cast<std::size_t>(side);
    if (bytes > std::numeric_limits<std::size_t>::max() / length) return std::nullopt;
    bytes *= length;
  }
  return bytes;
}

Result<NpyArray> parse(Bytes bytes) {
  std::size_t values_begin = 0;
  PENSTOCK_TRY_ASSIGN(HeaderParser parser, find_header(bytes, values_begin));
  PENSTOCK_TRY_ASSIGN(const Header header, parser.parse());
  NpyArray array;
  PENSTOCK_TRY_ASSIGN(array.dtype, dtype_of(*header.descr));
  array.shape = *header.shape;
  if (*header.is_fortran && array.shape.rank() > 1) {
    return unsupported("is in Fortran order, expected C order");
  }
  array.values = bytes.subspan(values_begin);
  if (bytes_of(array.shape, array.dtype) != array.values.size()) {
    return corrupt("has ", array.values.size(), " bytes of values, expected ", array.shape.text(),
                   " of ", dtype_name(array.dtype));
  }
  return array;
}

}  // namespace

Result<NpyArray> parse_npy(Bytes bytes) { return parse(bytes).at("npy"); }

}  // namespace penstock::decode
