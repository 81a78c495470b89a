// A small run to look at. Included by tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "penstock/deliver/run.h"

namespace penstock::serve {

// Images of 2x2 pixels and 3 channels, and labels, in memory; batches of two.
struct TestImages {
  std::vector<std::uint8_t> pixels;  // 12 an image
  std::vector<std::int64_t> labels;
};

inline std::shared_ptr<const pipeline::Plan> plan_of(const TestImages& images,
                                                     const OptionText& reader,
                                                     std::vector<OptionText> ops = {}) {
  pipeline::Spec spec;
  spec.source = {"arrays", {}, {}, {}};
  spec.fields = {{"image", reader, std::move(ops)}, {"label", {"label", {}}, {}}};
  spec.batch = {2, "keep"};
  pipeline::PlanInputs inputs;
  inputs.source.arrays = {
      {{{.name = "image",
         .kind = source::FieldKind::kArray,
         .dtype = DType::kU8,
         .shape = {2, 2, 3}},
        std::as_bytes(std::span(images.pixels))},
       {{.name = "label", .kind = source::FieldKind::kArray, .dtype = DType::kI64},
        std::as_bytes(std::span(images.labels))}}};
  auto plan = pipeline::make_plan(spec, inputs);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return std::shared_ptr<const pipeline::Plan>(std::move(plan).value());
}

inline std::shared_ptr<deliver::Run> run_of(std::shared_ptr<const pipeline::Plan> plan) {
  auto run = deliver::Run::start(std::move(plan), {.threads = 1});
  EXPECT_TRUE(run.ok()) << run.status().message();
  return std::shared_ptr<deliver::Run>(std::move(run).value());
}

inline deliver::Run::BatchPtr next_of(deliver::Run& run) {
  auto batch = run.next();
  EXPECT_TRUE(batch.ok()) << batch.status().message();
  return std::move(batch).value();
}

}  // namespace penstock::serve
