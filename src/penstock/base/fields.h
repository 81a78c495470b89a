// A struct described by one table: parsing, printing, hashing, docs and the Python signature come
// from it.
//
//   struct RandomFlip {
//     float probability = 0.5f;
//     static constexpr auto fields() {
//       return std::tuple{Field{"probability", &RandomFlip::probability, "Chance of a flip."}};
//     }
//   };
//
// In text a described value reads `random_flip probability=0.5`. Members may be bool, integers,
// floats, strings, std::array, std::vector and std::optional of those, and enums for which a
// constexpr `enum_names(E)` (found by argument-dependent lookup) gives the names in order of the
// values.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "penstock/base/result.h"

namespace penstock {

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::* member;
  std::string_view doc;
};

// One line of a described struct, for docs and signatures.
struct FieldDoc {
  std::string name;
  std::string type;          // as Python writes it: "float", "tuple[float, float]", "int | None"
  std::string default_text;  // as text: "0.5", "0.08,1", "none"
  std::string doc;
};

struct Option {
  std::string name;
  std::string value;
  friend bool operator==(const Option&, const Option&) = default;
};

// `random_flip probability=0.5`, taken apart.
struct OptionText {
  std::string name;
  std::vector<Option> options;
  friend bool operator==(const OptionText&, const OptionText&) = default;
};

// A value with blanks, quotes or nothing in it stands in double quotes, with \" and \\ inside.
Result<OptionText> parse_option_text(std::string_view text);
std::string print_option_text(const OptionText& parsed);

namespace field_detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// "a,b,c" -> {"a", "b", "c"}; "" -> {}.
std::vector<std::string_view> split_list(std::string_view text);

template <class T>
std::string type_name() {
  if constexpr (IsOptional<T>::value) {
    return type_name<typename T::value_type>() + " | None";
  } else if constexpr (IsArray<T>::value) {
    std::string inner;
    for (std::size_t i = 0; i < std::tuple_size_v<T>; ++i) {
      if (i > 0) inner += ", ";
      inner += type_name<typename T::value_type>();
    }
    return "tuple[" + inner + "]";
  } else if constexpr (IsVector<T>::value) {
    return "Sequence[" + type_name<typename T::value_type>() + "]";
  } else if constexpr (std::is_enum_v<T>) {
    std::string names;
    for (const std::string_view name : enum_names(T{})) {
      if (!names.empty()) names += ", ";
      names += concat('"', name, '"');
    }
    return "Literal[" + names + "]";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return "int";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "float";
  } else {
    static_assert(std::is_same_v<T, std::string>);
    return "str";
  }
}

template <class T>
std::string print_value(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? print_value(*value) : std::string("none");
  } else if constexpr (IsArray<T>::value || IsVector<T>::value) {
    std::string out;
    for (const auto& element : value) {
      if (!out.empty()) out += ',';
      out += print_value(element);
    }
    return out;
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(enum_names(T{})[static_cast<std::size_t>(value)]);
  } else {
    return concat(value);
  }
}

template <class T>
bool parse_value(std::string_view text, T& out) {
  if constexpr (IsOptional<T>::value) {
    if (text == "none") {
      out.reset();
      return true;
    }
    return parse_value(text, out.emplace());
  } else if constexpr (IsArray<T>::value) {
    const auto parts = split_list(text);
    if (parts.size() != out.size()) return false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!parse_value(parts[i], out[i])) return false;
    }
    return true;
  } else if constexpr (IsVector<T>::value) {
    out.clear();
    for (const std::string_view part : split_list(text)) {
      if (!parse_value(part, out.emplace_back())) return false;
    }
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    const auto& names = enum_names(T{});
    for (std::size_t i = 0; i < std::size(names); ++i) {
      if (names[i] == text) {
        out = static_cast<T>(i);
        return true;
      }
    }
    return false;
  } else if constexpr (std::is_same_v<T, bool>) {
    out = text == "true";
    return text == "true" || text == "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
  } else {
    out = text;
    return true;
  }
}

}  // namespace field_detail

template <class Struct>
std::vector<FieldDoc> field_docs() {
  const Struct defaults{};
  return std::apply(
      [&](const auto&... field) {
        return std::vector<FieldDoc>{FieldDoc{
            std::string(field.name),
            field_detail::type_name<std::remove_cvref_t<decltype(defaults.*field.member)>>(),
            field_detail::print_value(defaults.*field.member), std::string(field.doc)}...};
      },
      Struct::fields());
}

// Every field with its value, in the order of the table; the canonical form that is hashed.
template <class Struct>
std::vector<Option> print_fields(const Struct& value) {
  return std::apply(
      [&](const auto&... field) {
        return std::vector<Option>{
            Option{std::string(field.name), field_detail::print_value(value.*field.member)}...};
      },
      Struct::fields());
}

namespace field_detail {

template <class Struct, class Field>
Status parse_field(const Option& option, const Field& field, Struct& out) {
  using Member = std::remove_cvref_t<decltype(out.*field.member)>;
  if (parse_value(option.value, out.*field.member)) return {};
  return invalid_argument(option.name, " is ", option.value.empty() ? "empty" : option.value,
                          ", expected ", type_name<Member>());
}

Status unknown_option(const Option& option, std::span<const FieldDoc> known);

}  // namespace field_detail

// Sets the fields that `options` name and leaves the others. Fails on an unknown name or a value
// that does not parse, naming both.
template <class Struct>
Status parse_fields(std::span<const Option> options, Struct& out) {
  for (const Option& option : options) {
    Status status;
    const bool is_known = std::apply(
        [&](const auto&... field) {
          return ((field.name == option.name &&
                   (status = field_detail::parse_field(option, field, out), true)) ||
                  ...);
        },
        Struct::fields());
    PENSTOCK_TRY(status);
    if (!is_known) return field_detail::unknown_option(option, field_docs<Struct>());
  }
  return {};
}

}  // namespace penstock
