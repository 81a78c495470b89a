// States to text and back, and whether one fits a plan.
#include "penstock/pipeline/state.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "penstock/base/hash.h"
#include "penstock/base/units.h"

namespace penstock::pipeline {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 1;
constexpr const char* kVersionKey = "penstock_state";

// A long text is kept as its hash: a state stays below a kilobyte.
std::string short_text(const std::string& text) {
  constexpr std::size_t kMaxLength = 24;
  return text.size() <= kMaxLength ? text : concat("#", hexadecimal(hash_text(text)));
}

Result<std::uint64_t> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) {
    return corrupt("state: ", key, " is ", found == object.end() ? "missing" : found->dump(),
                   ", expected a whole number");
  }
  return found->get<std::uint64_t>();
}

Result<const Json*> object_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_object()) {
    return corrupt("state: ", key, " is ", found == object.end() ? "missing" : found->dump(),
                   ", expected an object");
  }
  return &*found;
}

Result<std::uint64_t> fingerprint_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  std::uint64_t value = 0;
  if (found != object.end() && found->is_string()) {
    const auto& text = found->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
  }
  return corrupt("state: ", key, " is no hexadecimal number");
}

Result<std::vector<std::pair<std::string, std::string>>> parse_spec_parts(const Json& object) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string())
      return corrupt("state: ", name, " is ", value.dump(), ", expected a text");
    parts.emplace_back(name, value.get<std::string>());
  }
  return parts;
}

Status parse_counts(const Json& root, State& state) {
  PENSTOCK_TRY_ASSIGN(const std::uint64_t epoch, number_at(root, "epoch"));
  if (epoch > std::numeric_limits<std::uint32_t>::max()) {
    return corrupt("state: epoch is ", epoch, ", expected fewer than 2^32");
  }
  state.epoch = static_cast<std::uint32_t>(epoch);
  PENSTOCK_TRY_ASSIGN(state.position, number_at(root, "position"));
  PENSTOCK_TRY_ASSIGN(state.num_batches, number_at(root, "batches"));
  PENSTOCK_TRY_ASSIGN(state.num_samples, number_at(root, "samples"));
  PENSTOCK_TRY_ASSIGN(state.num_bad, number_at(root, "bad_samples"));
  return {};
}

using Parts = std::vector<std::pair<std::string, std::string>>;

const std::string* find_part(const Parts& parts, const std::string& name) {
  const auto found = std::ranges::find(parts, name, &Parts::value_type::first);
  return found == parts.end() ? nullptr : &found->second;
}

// "seed is 8, was 7"
std::string difference(const std::string& name, const std::string* now, const std::string* was) {
  return concat(name, " is ", now ? *now : "not there", ", was ", was ? *was : "not there");
}

std::vector<std::string> spec_differences(const Plan& plan, const State& state) {
  std::vector<std::string> out;
  const Parts now = spec_parts(plan.spec());
  for (const auto& [name, text] : now) {
    const std::string* was = find_part(state.spec, name);
    if (was == nullptr || *was != short_text(text)) out.push_back(difference(name, &text, was));
  }
  for (const auto& [name, was] : state.spec) {
    if (find_part(now, name) == nullptr) out.push_back(difference(name, nullptr, &was));
  }
  return out;
}

}  // namespace

State initial_state(const Plan& plan) {
  State state;
  state.dataset_samples = plan.source().num_samples();
  state.dataset_fingerprint = plan.source().fingerprint();
  for (const auto& [name, text] : spec_parts(plan.spec())) {
    state.spec.emplace_back(name, short_text(text));
  }
  return state;
}

std::string print_state(const State& state) {
  Json spec = Json::object();
  for (const auto& [name, text] : state.spec) spec[name] = text;
  const Json root = {{kVersionKey, kVersion},
                     {"epoch", state.epoch},
                     {"position", state.position},
                     {"batches", state.num_batches},
                     {"samples", state.num_samples},
                     {"bad_samples", state.num_bad},
                     {"dataset",
                      {{"samples", state.dataset_samples},
                       {"fingerprint", hexadecimal(state.dataset_fingerprint)}}},
                     {"spec", std::move(spec)}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<State> parse_state(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (!root.is_object()) return corrupt("state: not a JSON object");
  PENSTOCK_TRY_ASSIGN(const std::uint64_t version, number_at(root, kVersionKey));
  if (version != kVersion) {
    return unsupported("state: version ", version, ", expected ", kVersion);
  }
  State state;
  PENSTOCK_TRY(parse_counts(root, state));
  PENSTOCK_TRY_ASSIGN(const Json* dataset, object_at(root, "dataset"));
  PENSTOCK_TRY_ASSIGN(state.dataset_samples, number_at(*dataset, "samples"));
  PENSTOCK_TRY_ASSIGN(state.dataset_fingerprint, fingerprint_at(*dataset, "fingerprint"));
  PENSTOCK_TRY_ASSIGN(const Json* spec, object_at(root, "spec"));
  PENSTOCK_TRY_ASSIGN(state.spec, parse_spec_parts(*spec));
  return state;
}

Status check_state(const Plan& plan, const State& state) {
  std::vector<std::string> differences = spec_differences(plan, state);
  const source::Source& source = plan.source();
  if (source.num_samples() != state.dataset_samples) {
    differences.push_back(
        concat("the dataset has ", source.num_samples(), " samples, had ", state.dataset_samples));
  } else if (source.fingerprint() != state.dataset_fingerprint) {
    differences.push_back(concat("the dataset holds other samples (fingerprint ",
                                 hexadecimal(source.fingerprint()), ", was ",
                                 hexadecimal(state.dataset_fingerprint), ")"));
  }
  if (!differences.empty()) {
    std::string message = "the state is of another pipeline: ";
    for (std::size_t i = 0; i < differences.size(); ++i) {
      message += concat(i == 0 ? "" : "; ", differences[i]);
    }
    return invalid_argument(message);
  }
  if (state.position > plan.sequence().size()) {
    return invalid_argument("the state's position is ", state.position,
                            ", expected at most the epoch's ", plan.sequence().size(), " samples");
  }
  return {};
}

}  // namespace penstock::pipeline
