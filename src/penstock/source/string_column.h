// Many strings in two buffers: 8 bytes each beside their characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::source {

class StringColumn {
 public:
  StringColumn() = default;

  // From its two buffers; nullopt unless every string lies within `text` and nothing is left over.
  static std::optional<StringColumn> from_parts(std::string text, std::vector<std::uint64_t> ends) {
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      if (end < begin || end > text.size()) return std::nullopt;
      begin = end;
    }
    if (begin != text.size()) return std::nullopt;
    StringColumn column;
    column.text_ = std::move(text);
    column.ends_ = std::move(ends);
    return column;
  }

  void reserve(std::size_t num_strings, std::size_t num_characters) {
    ends_.reserve(num_strings);
    text_.reserve(num_characters);
  }

  void push_back(std::string_view string) {
    text_ += string;
    ends_.push_back(text_.size());
  }

  // One string of two parts.
  void push_back(std::string_view head, std::string_view tail) {
    text_ += head;
    push_back(tail);
  }

  // All of `other` behind what is here.
  void append(const StringColumn& other) {
    const std::uint64_t begin = text_.size();
    text_ += other.text_;
    for (const std::uint64_t end : other.ends_) ends_.push_back(begin + end);
  }

  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }

  // Valid until the column changes.
  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }

  std::uint64_t memory_bytes() const {
    return text_.capacity() + ends_.capacity() * sizeof(std::uint64_t);
  }

  const std::string& text() const { return text_; }
  const std::vector<std::uint64_t>& ends() const { return ends_; }

  friend bool operator==(const StringColumn&, const StringColumn&) = default;

 private:
  std::string text_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace penstock::source
