// What every op must satisfy, over the whole catalog.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "penstock/transform/catalog.h"
#include "penstock/transform/chain.h"
#include "penstock/transform/render.h"

namespace penstock::transform {

static std::ostream& operator<<(std::ostream& out, const OpDef& op) { return out << op.name; }

namespace {

constexpr ImageSize kInput{240, 250};
constexpr std::size_t kGuard = 64;
constexpr std::byte kGuardByte{0xA5};

class OpContractTest : public testing::TestWithParam<OpDef> {};

Result<Chain> default_chain(const OpDef& op) {
  const OptionText text{std::string(op.name), {}};
  return make_chain(std::span(&text, 1));
}

std::vector<std::uint8_t> make_input() {
  std::vector<std::uint8_t> pixels(std::size_t{3} * kInput.width * kInput.height);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(i * 31 + i / 97);
  }
  return pixels;
}

// The op's output as f32 CHW, with kGuard bytes before and behind it.
std::vector<std::byte> run(const Chain& chain, const RngKey& key) {
  const std::vector<std::uint8_t> pixels = make_input();
  const Result<ImageDraw> drawn = chain.draw(kInput, key);
  EXPECT_TRUE(drawn.ok()) << drawn.status().message();
  if (!drawn.ok()) return {};
  const ImageSize size = drawn->geometry.output_size();
  const std::size_t out_bytes = std::size_t{12} * size.width * size.height;
  std::vector<std::byte> out(out_bytes + 2 * kGuard, kGuardByte);
  RenderScratch scratch;
  render({.pixels = {pixels.data(), kInput.width, kInput.height, 3, std::size_t{3} * kInput.width},
          .full_size = kInput},
         drawn->geometry, drawn->colour, {DType::kF32, Layout::kCHW, 3}, scratch,
         std::span(out).subspan(kGuard, out_bytes));
  return out;
}

TEST_P(OpContractTest, DefaultOptionsPassTheirCheck) {
  EXPECT_TRUE(GetParam().bind({}).ok()) << GetParam().bind({}).status().message();
}

TEST_P(OpContractTest, IsDescribed) {
  EXPECT_FALSE(GetParam().doc.empty());
  for (const FieldDoc& field : GetParam().fields) EXPECT_FALSE(field.doc.empty()) << field.name;
}

TEST_P(OpContractTest, PrintingThenParsingGivesTheSameOp) {
  const OptionText text = GetParam().bind({}).value()->text();
  EXPECT_EQ(text.name, GetParam().name);
  EXPECT_EQ(text.options.size(), GetParam().fields.size());
  const Result<OptionText> parsed = parse_option_text(print_option_text(text));
  ASSERT_TRUE(parsed.ok());
  const auto again = bind_op(*parsed);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again.value()->text(), text);
}

TEST_P(OpContractTest, RejectsAnUnknownOption) {
  const Option option{"nonsense", "1"};
  const Status status = GetParam().bind(std::span(&option, 1)).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_TRUE(status.message().starts_with(std::string(GetParam().name) + ": no option 'nonsense'"))
      << status.message();
}

TEST_P(OpContractTest, RejectsValuesThatAreNoNumbers) {
  for (const FieldDoc& field : GetParam().fields) {
    const Option option{field.name, "?"};
    EXPECT_EQ(GetParam().bind(std::span(&option, 1)).status().code(), Code::kInvalidArgument)
        << field.name;
  }
}

TEST_P(OpContractTest, RejectsNotANumber) {
  for (const FieldDoc& field : GetParam().fields) {
    if (field.type.find("float") == std::string::npos) continue;
    const bool is_pair = field.type.starts_with("tuple");
    const Option option{field.name, is_pair ? "nan,nan" : "nan"};
    EXPECT_EQ(GetParam().bind(std::span(&option, 1)).status().code(), Code::kInvalidArgument)
        << field.name;
  }
}

TEST_P(OpContractTest, SameKeyGivesSamePixels) {
  const auto chain = default_chain(GetParam());
  ASSERT_TRUE(chain.ok());
  for (std::uint64_t sample = 0; sample < 5; ++sample) {
    const RngKey key{.seed = 7, .epoch = 2, .sample = sample, .op = 1};
    EXPECT_EQ(run(*chain, key), run(*chain, key));
  }
}

TEST_P(OpContractTest, WritesNothingOutsideItsOutput) {
  const auto chain = default_chain(GetParam());
  ASSERT_TRUE(chain.ok());
  const std::vector<std::byte> out = run(*chain, {});
  const std::vector<std::byte> guard(kGuard, kGuardByte);
  ASSERT_GT(out.size(), 2 * kGuard);
  EXPECT_TRUE(std::equal(guard.begin(), guard.end(), out.begin()));
  EXPECT_TRUE(std::equal(guard.begin(), guard.end(), out.end() - kGuard));
}

TEST_P(OpContractTest, OutputHasTheSizeThatWasPromised) {
  const auto chain = default_chain(GetParam());
  ASSERT_TRUE(chain.ok());
  const auto drawn = chain->draw(kInput, {.seed = 3});
  ASSERT_TRUE(drawn.ok());
  EXPECT_EQ(chain->output_size(kInput), drawn->geometry.output_size());
  if (chain->output_size()) {
    EXPECT_EQ(chain->output_size(), drawn->geometry.output_size());
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, OpContractTest, testing::ValuesIn(ops().begin(), ops().end()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace penstock::transform
