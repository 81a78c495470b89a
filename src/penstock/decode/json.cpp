// Validity of JSON, by nlohmann's parser: it makes no values and does not recurse.
#include "penstock/decode/json.h"

#include <nlohmann/json.hpp>
#include <string>

namespace penstock::decode {
namespace {

using Json = nlohmann::json;

// Python's parser recurses, and gives up at about a thousand levels.
constexpr int kMaxDepth = 500;

// Told of everything in the text; remembers only what is wrong.
class Checker {
 public:
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool key(std::string&) { return true; }
  bool start_object(std::size_t) { return descend(); }
  bool end_object() { return ascend(); }
  bool start_array(std::size_t) { return descend(); }
  bool end_array() { return ascend(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    // The parser counts from 1, and the end of the text as a character.
    status_ = corrupt("not JSON at byte ", position > 0 ? position - 1 : 0);
    return false;
  }

  const Status& status() const { return status_; }

 private:
  bool descend() {
    if (++depth_ <= kMaxDepth) return true;
    status_ = unsupported("JSON is nested deeper than ", kMaxDepth, " levels");
    return false;
  }
  bool ascend() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  Status status_;
};

}  // namespace

Status check_json(Bytes bytes) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  Checker checker;
  Json::sax_parse(text, text + bytes.size(), &checker);
  return checker.status();
}

}  // namespace penstock::decode
