// penstock ls: what a source holds.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "penstock/base/units.h"
#include "source_argument.h"

namespace penstock::cli {
namespace {

struct LsOptions {
  std::vector<std::string> source;
  std::uint64_t limit = 20;
  bool is_json = false;
};

// "jpg 110.2 KiB  cls 3 B  label 7"
std::string describe_sample(const source::Source& source, std::uint64_t sample) {
  std::string out;
  for (std::size_t i = 0; i < source.fields().size(); ++i) {
    const source::FieldInfo& field = source.fields()[i];
    const int index = static_cast<int>(i);
    if (field.kind == source::FieldKind::kFeature) {
      out += fmt::format("  {} {}", field.name, dtype_name(field.dtype));
    } else if (field.kind == source::FieldKind::kBytes) {
      const auto piece = source.locate(sample, index);
      if (piece.ok())
        out += fmt::format("  {} {}", field.name, print_size_bytes(piece->size_bytes));
    } else if (field.shape.rank() == 0 && field.dtype == DType::kI64) {
      std::int64_t value = 0;
      std::memcpy(&value, source.row(sample, index).data(), sizeof value);
      out += fmt::format("  {} {}", field.name, value);
    } else {
      out += fmt::format("  {} {} {}", field.name, field.shape.text(), dtype_name(field.dtype));
    }
  }
  return out;
}

void print_json(const source::Source& source, std::uint64_t limit) {
  nlohmann::ordered_json out = {{"samples", source.num_samples()},
                                {"shards", source.shard_sizes().size()},
                                {"bytes", total_bytes(source)},
                                {"classes", source.classes().size()}};
  for (const auto& field : source.fields()) out["fields"].push_back(field.name);
  for (std::uint64_t i = 0; i < limit; ++i) out["first"].push_back(source.sample_name(i));
  fmt::print("{}\n", out.dump(2));
}

void print_table(const source::Source& source, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit; ++i) {
    fmt::print("{:>9}  {}{}\n", i, source.sample_name(i), describe_sample(source, i));
  }
  if (limit < source.num_samples()) fmt::print("      ...\n");
  fmt::print("{} samples in {} shard{}, {}", source.num_samples(), source.shard_sizes().size(),
             source.shard_sizes().size() == 1 ? "" : "s", print_size_bytes(total_bytes(source)));
  if (!source.classes().empty()) fmt::print(", {} classes", source.classes().size());
  fmt::print("\n");
}

Status list(const LsOptions& options) {
  PENSTOCK_TRY_ASSIGN(const pipeline::OpenSource open,
                      open_source_argument(parse_source_argument(options.source)));
  const std::uint64_t limit = std::min(options.limit, open.source->num_samples());
  if (options.is_json) {
    print_json(*open.source, limit);
  } else {
    print_table(*open.source, limit);
  }
  return {};
}

}  // namespace

Action define_ls(CLI::App& app) {
  auto options = std::make_shared<LsOptions>();
  app.add_option("source", options->source, kSourceHelp)->required();
  app.add_option("--limit", options->limit, "Samples to show")->capture_default_str();
  app.add_flag("--json", options->is_json, "Print JSON");
  app.footer("Example: penstock ls 'shards/train-{000..009}.tar' --limit 5");
  return [options] { return list(*options); };
}

}  // namespace penstock::cli
