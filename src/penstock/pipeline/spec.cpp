// A Spec as JSON text, and back.
#include "penstock/pipeline/spec.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "penstock/base/hash.h"

namespace penstock::pipeline {
namespace {

using Json = nlohmann::ordered_json;

Json options_json(const std::vector<Option>& options) {
  Json out = Json::object();
  for (const Option& option : options) out[option.name] = option.value;
  return out;
}

Json field_json(const FieldSpec& field) {
  Json out = {{"name", field.name}, {"reader", print_option_text(field.reader)}};
  if (!field.ops.empty()) {
    Json& ops = out["ops"] = Json::array();
    for (const OptionText& op : field.ops) ops.push_back(print_option_text(op));
  }
  return out;
}

Json source_json(const SourceSpec& source) {
  Json out = {
      {"kind", source.kind}, {"urls", source.urls}, {"options", options_json(source.options)}};
  for (const SourceSpec& part : source.sources) out["sources"].push_back(source_json(part));
  return out;
}

// Reads one key of an object; a missing key leaves `out` as it is.
template <class T>
Status read_key(const Json& object, const char* key, T& out) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  constexpr bool kIsText = std::is_same_v<T, std::string>;
  constexpr bool kIsList = std::is_same_v<T, std::vector<std::string>>;
  const bool fits = kIsText   ? found->is_string()
                    : kIsList ? found->is_array() && std::ranges::all_of(*found, &Json::is_string)
                              : found->is_number_unsigned();
  if (!fits) {
    return invalid_argument("spec: ", key, " is ", found->dump(), ", expected ",
                            kIsText   ? "a text"
                            : kIsList ? "a list of texts"
                                      : "a whole number");
  }
  out = found->get<T>();
  return {};
}

template <class T>
Status read_key(const Json& object, const char* key, std::optional<T>& out) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_null()) {
    out.reset();
    return {};
  }
  return read_key(object, key, out.emplace());
}

// The object at `key`, or null if there is none.
Result<const Json*> object_at(const Json& parent, const char* key) {
  const auto found = parent.find(key);
  if (found == parent.end()) return static_cast<const Json*>(nullptr);
  if (!found->is_object()) {
    return invalid_argument("spec: ", key, " is ", found->dump(), ", expected an object");
  }
  return &*found;
}

Status check_keys(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      return invalid_argument("spec: no key '", key, "' is known here");
    }
  }
  return {};
}

Result<SourceSpec> parse_source(const Json& object, int depth = 0) {
  // A Spec is text from outside: a limit keeps nested sources from using up the stack.
  constexpr int kMaxDepth = 16;
  if (depth > kMaxDepth) return invalid_argument("spec: sources are nested too deeply");
  SourceSpec source;
  PENSTOCK_TRY(check_keys(object, {"kind", "urls", "options", "sources"}));
  PENSTOCK_TRY(read_key(object, "kind", source.kind));
  PENSTOCK_TRY(read_key(object, "urls", source.urls));
  if (const auto parts = object.find("sources"); parts != object.end()) {
    if (!parts->is_array() || !std::ranges::all_of(*parts, &Json::is_object)) {
      return invalid_argument("spec: sources is ", parts->dump(), ", expected a list of objects");
    }
    for (const Json& part : *parts) {
      PENSTOCK_TRY_ASSIGN(SourceSpec parsed, parse_source(part, depth + 1));
      source.sources.push_back(std::move(parsed));
    }
  }
  PENSTOCK_TRY_ASSIGN(const Json* options, object_at(object, "options"));
  if (options == nullptr) return source;
  for (const auto& [name, value] : options->items()) {
    if (!value.is_string()) {
      return invalid_argument("spec: option ", name, " is ", value.dump(), ", expected a text");
    }
    source.options.push_back({name, value.get<std::string>()});
  }
  return source;
}

Result<FieldSpec> parse_field(const Json& object) {
  if (!object.is_object()) {
    return invalid_argument("spec: a field is ", object.dump(), ", expected an object");
  }
  PENSTOCK_TRY(check_keys(object, {"name", "reader", "ops"}));
  FieldSpec field;
  std::string reader;
  std::vector<std::string> ops;
  PENSTOCK_TRY(read_key(object, "name", field.name));
  PENSTOCK_TRY(read_key(object, "reader", reader));
  PENSTOCK_TRY(read_key(object, "ops", ops));
  PENSTOCK_TRY_ASSIGN(field.reader, parse_option_text(reader).at(field.name));
  for (const std::string& op : ops) {
    PENSTOCK_TRY_ASSIGN(OptionText parsed, parse_option_text(op).at(field.name));
    field.ops.push_back(std::move(parsed));
  }
  return field;
}

Status parse_fields_list(const Json& root, Spec& spec) {
  const auto fields = root.find("fields");
  if (fields == root.end()) return {};
  if (!fields->is_array()) return invalid_argument("spec: fields is not a list");
  for (const Json& object : *fields) {
    PENSTOCK_TRY_ASSIGN(FieldSpec field, parse_field(object));
    spec.fields.push_back(std::move(field));
  }
  return {};
}

Status parse_sections(const Json& root, Spec& spec) {
  PENSTOCK_TRY_ASSIGN(const Json* source, object_at(root, "source"));
  if (source == nullptr) return invalid_argument("spec: no source");
  PENSTOCK_TRY_ASSIGN(spec.source, parse_source(*source));
  PENSTOCK_TRY_ASSIGN(const Json* shuffle, object_at(root, "shuffle"));
  if (shuffle != nullptr) {
    PENSTOCK_TRY(check_keys(*shuffle, {"window", "lanes"}));
    ShuffleSpec& out = spec.shuffle.emplace();
    PENSTOCK_TRY(read_key(*shuffle, "window", out.window));
    PENSTOCK_TRY(read_key(*shuffle, "lanes", out.lanes));
  }
  PENSTOCK_TRY_ASSIGN(const Json* batch, object_at(root, "batch"));
  if (batch != nullptr) {
    PENSTOCK_TRY(check_keys(*batch, {"size", "last"}));
    PENSTOCK_TRY(read_key(*batch, "size", spec.batch.size));
    PENSTOCK_TRY(read_key(*batch, "last", spec.batch.last));
  }
  PENSTOCK_TRY_ASSIGN(const Json* shard, object_at(root, "shard"));
  if (shard != nullptr) {
    PENSTOCK_TRY(check_keys(*shard, {"rank", "world"}));
    RankSpec& out = spec.shard.emplace();
    PENSTOCK_TRY(read_key(*shard, "rank", out.rank));
    PENSTOCK_TRY(read_key(*shard, "world", out.world));
  }
  PENSTOCK_TRY_ASSIGN(const Json* cache, object_at(root, "disk_cache"));
  if (cache != nullptr) {
    PENSTOCK_TRY(check_keys(*cache, {"folder", "size"}));
    DiskCacheSpec& out = spec.disk_cache.emplace();
    PENSTOCK_TRY(read_key(*cache, "folder", out.folder));
    PENSTOCK_TRY(read_key(*cache, "size", out.size));
  }
  PENSTOCK_TRY_ASSIGN(const Json* memory, object_at(root, "memory_cache"));
  if (memory != nullptr) {
    PENSTOCK_TRY(check_keys(*memory, {"size", "what"}));
    MemoryCacheSpec& out = spec.memory_cache.emplace();
    PENSTOCK_TRY(read_key(*memory, "size", out.size));
    PENSTOCK_TRY(read_key(*memory, "what", out.what));
  }
  return {};
}

}  // namespace

std::string print_spec(const Spec& spec) {
  Json out;
  out["source"] = source_json(spec.source);
  if (spec.shuffle) {
    out["shuffle"] = {{"window", spec.shuffle->window}, {"lanes", spec.shuffle->lanes}};
  }
  out["seed"] = spec.seed;
  Json& fields = out["fields"] = Json::array();
  for (const FieldSpec& field : spec.fields) fields.push_back(field_json(field));
  if (spec.repeat != 1) out["repeat"] = spec.repeat;
  if (spec.skip != 0) out["skip"] = spec.skip;
  if (spec.take) out["take"] = *spec.take;
  out["epochs"] = spec.epochs ? Json(*spec.epochs) : Json(nullptr);
  out["batch"] = {{"size", spec.batch.size}, {"last", spec.batch.last}};
  if (spec.shard) out["shard"] = {{"rank", spec.shard->rank}, {"world", spec.shard->world}};
  if (spec.disk_cache) {
    out["disk_cache"] = {{"folder", spec.disk_cache->folder}, {"size", spec.disk_cache->size}};
  }
  if (spec.memory_cache) {
    out["memory_cache"] = {{"size", spec.memory_cache->size}, {"what", spec.memory_cache->what}};
  }
  return out.dump(2);
}

Result<Spec> parse_spec(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (!root.is_object()) return invalid_argument("spec: not a JSON object");
  PENSTOCK_TRY(check_keys(root, {"source", "shuffle", "seed", "fields", "repeat", "skip", "take",
                                 "epochs", "batch", "shard", "disk_cache", "memory_cache"}));
  Spec spec;
  PENSTOCK_TRY(parse_sections(root, spec));
  PENSTOCK_TRY(parse_fields_list(root, spec));
  PENSTOCK_TRY(read_key(root, "seed", spec.seed));
  PENSTOCK_TRY(read_key(root, "repeat", spec.repeat));
  PENSTOCK_TRY(read_key(root, "skip", spec.skip));
  PENSTOCK_TRY(read_key(root, "take", spec.take));
  PENSTOCK_TRY(read_key(root, "epochs", spec.epochs));
  return spec;
}

std::vector<std::pair<std::string, std::string>> spec_parts(const Spec& spec) {
  std::vector<std::pair<std::string, std::string>> parts;
  parts.emplace_back("seed", concat(spec.seed));
  parts.emplace_back("shuffle", spec.shuffle
                                    ? concat(spec.shuffle->window, " over ", spec.shuffle->lanes)
                                    : std::string("none"));
  if (spec.source.kind == "mix") {
    parts.emplace_back("mix", print_option_text({"", spec.source.options}));
  }
  if (spec.repeat != 1) parts.emplace_back("repeat", concat(spec.repeat));
  if (spec.skip != 0) parts.emplace_back("skip", concat(spec.skip));
  if (spec.take) parts.emplace_back("take", concat(*spec.take));
  // Images whose pixels are kept are decoded whole, which gives other pixels than a coarse decode.
  if (spec.memory_cache && spec.memory_cache->what != "bytes") {
    parts.emplace_back("memory_cache", spec.memory_cache->what);
  }
  for (const FieldSpec& field : spec.fields) {
    std::string text = print_option_text(field.reader);
    for (const OptionText& op : field.ops) text += concat(", ", print_option_text(op));
    parts.emplace_back(concat("field ", field.name), std::move(text));
  }
  return parts;
}

std::uint64_t hash_spec(const Spec& spec) {
  std::uint64_t hash = 0;
  for (const auto& [name, text] : spec_parts(spec)) hash = hash_text(text, hash_text(name, hash));
  return hash;
}

}  // namespace penstock::pipeline
