#include "penstock/pipeline/state.h"

#include <gtest/gtest.h>

#include <functional>

namespace penstock::pipeline {
namespace {

Spec make_spec() {
  Spec spec;
  spec.source = {"synthetic", {}, {{"samples", "100"}, {"shape", "8,6,3"}}, {}};
  spec.shuffle = ShuffleSpec{};
  spec.seed = 7;
  spec.fields = {{"image", {"image", {}}, {{"random_flip", {}}}}, {"label", {"label", {}}, {}}};
  spec.batch = {10, "drop"};
  return spec;
}

std::unique_ptr<const Plan> plan_of(const Spec& spec) { return *make_plan(spec, {}); }

// What check_state says when the Spec was changed since the state was taken.
std::string complaint(const std::function<void(Spec&)>& change) {
  Spec spec = make_spec();
  const State state = initial_state(*plan_of(spec));
  change(spec);
  return std::string(check_state(*plan_of(spec), state).message());
}

TEST(StateTest, GivesBackWhatWasPrinted) {
  State state = initial_state(*plan_of(make_spec()));
  state.epoch = 3;
  state.position = 40;
  state.num_batches = 304;
  state.num_samples = 3040;
  state.num_bad = 2;
  EXPECT_EQ(*parse_state(print_state(state)), state);
}

TEST(StateTest, IsBelowAKilobyteWithManyFields) {
  State state = initial_state(*plan_of(make_spec()));
  for (int i = 0; i < 8; ++i) {
    state.spec.emplace_back(concat("field image_", i), "#0123456789abcdef");
  }
  EXPECT_LT(print_state(state).size(), 1024u);
}

TEST(StateTest, FitsAnotherBatchSizeWorldSizeAndNumberOfEpochs) {
  EXPECT_EQ(complaint([](Spec& spec) {
              spec.batch = {3, "keep"};
              spec.shard = RankSpec{1, 4};
              spec.epochs = 9;
            }),
            "");
}

TEST(StateTest, NamesEveryPartThatDiffers) {
  EXPECT_EQ(complaint([](Spec& spec) { spec.seed = 8; }),
            "the state is of another pipeline: seed is 8, was 7");
  EXPECT_EQ(complaint([](Spec& spec) {
              spec.take = 50;
              spec.shuffle->window = "20";
            }),
            "the state is of another pipeline: shuffle is 20 over 64, was global over 64; take is "
            "50, was not there");
  EXPECT_EQ(complaint([](Spec& spec) { spec.fields.pop_back(); }),
            "the state is of another pipeline: field label is not there, was label");
}

TEST(StateTest, NamesAnotherDataset) {
  EXPECT_EQ(complaint([](Spec& spec) { spec.source.options[0].value = "101"; }),
            "the state is of another pipeline: the dataset has 101 samples, had 100");
  EXPECT_NE(complaint([](Spec& spec) {
              spec.source.options[1].value = "8,7,3";
            }).find("the dataset holds other samples (fingerprint "),
            std::string::npos);
}

TEST(StateTest, NamesWhatIsWrongWithTheText) {
  const std::string good = print_state(initial_state(*plan_of(make_spec())));
  const auto failure = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return std::string(parse_state(text).status().message());
  };
  EXPECT_EQ(parse_state("").status().message(), "state: not a JSON object");
  EXPECT_EQ(failure(R"("penstock_state":1)", R"("penstock_state":2)"),
            "state: version 2, expected 1");
  EXPECT_EQ(failure(R"("epoch":0)", R"("epoch":4294967296)"),
            "state: epoch is 4294967296, expected fewer than 2^32");
  EXPECT_EQ(failure(R"("position":0)", R"("position":0.5)"),
            "state: position is 0.5, expected a whole number");
  EXPECT_EQ(failure(R"("fingerprint":")", R"("fingerprint":"x)"),
            "state: fingerprint is no hexadecimal number");
  EXPECT_EQ(failure(R"("seed":"7")", R"("seed":7)"), "state: seed is 7, expected a text");
}

}  // namespace
}  // namespace penstock::pipeline
