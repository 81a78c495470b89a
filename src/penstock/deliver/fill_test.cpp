#include "penstock/deliver/fill.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/decode/jpeg/encode.h"
#include "penstock/source/testing.h"

namespace penstock::deliver {
namespace {

using pipeline::FieldSpec;

// One sample called cat, in a shard of its own, with every field given as text.
class FillTest : public testing::Test {
 protected:
  // `members` as name and content; what is read from storage may be changed before filling.
  void make(const std::vector<source::Member>& members, std::vector<FieldSpec> fields) {
    folder_.write("a.tar", source::tar_of(members));
    pipeline::Spec spec;
    spec.source = {"tar", {folder_.path("a.tar")}, {{"index_cache", "false"}}};
    spec.fields = std::move(fields);
    auto plan = pipeline::make_plan(spec, {});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    plan_ = std::move(plan).value();
    batch_ = std::make_unique<batch::Batch>(plan_->layout());
    batch_->count = 1;
    loaded_.picks = {{}};
    read_stretch({*plan_}, loaded_, std::size_t{1} << 30, counters_);
  }

  FillOutcome fill() {
    LapClock clock(counters_);
    const SamplePlace place{.pieces = loaded_.pieces, .batch = batch_.get()};
    return fill_sample(*plan_, place, scratch_, clock);
  }

  // The message without the folder.
  std::string message_of(const FillOutcome& outcome) const {
    std::string message(outcome.status.message());
    const std::string folder = folder_.path("");
    const std::size_t at = message.find(folder);
    return at == std::string::npos ? message : message.erase(at, folder.size());
  }

  source::TemporaryFolder folder_;
  std::unique_ptr<const pipeline::Plan> plan_;
  std::unique_ptr<batch::Batch> batch_;
  Stretch loaded_;
  ThreadCounters counters_;
  FillScratch scratch_;
};

std::string jpeg_text(int side) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(side * side * 3), 9);
  const ImageView view{pixels.data(), side, side, 3, static_cast<std::size_t>(3 * side)};
  const auto jpeg = decode::encode_jpeg(view, {});
  EXPECT_TRUE(jpeg.ok());
  return {reinterpret_cast<const char*>(jpeg->data()), jpeg->size()};
}

TEST_F(FillTest, WritesEveryField) {
  make({{"cat.cls", "3"}, {"cat.txt", "a cat"}},
       {{"txt", {"text", {}}, {}}, {"cls", {"label", {}}, {}}});
  ASSERT_TRUE(fill().status.ok());
  ASSERT_TRUE(batch_->seal().ok());
  EXPECT_EQ(batch_->array(0).size(), 5u);
  std::int64_t label = 0;
  std::memcpy(&label, batch_->array(1).data(), sizeof label);
  EXPECT_EQ(label, 3);
}

TEST_F(FillTest, ContentThatIsNotWhatItClaimsFailsWhereItIsDecoded) {
  make({{"cat.txt", "caf\xe9"}}, {{"txt", {"text", {}}, {}}});
  const FillOutcome outcome = fill();
  EXPECT_EQ(message_of(outcome), "txt: not UTF-8 at byte 3");
  EXPECT_EQ(outcome.stage, Stage::kDecode);
}

TEST_F(FillTest, AFieldThatIsMissingFailsWhereItIsRead) {
  make({{"cat.txt", "a"}, {"dog.cls", "1"}}, {{"cls", {"label", {}}, {}}});
  const FillOutcome outcome = fill();
  EXPECT_EQ(message_of(outcome), "no field cls, it has: txt");
  EXPECT_EQ(outcome.status.code(), Code::kNotFound);
  EXPECT_EQ(outcome.stage, Stage::kRead);
}

TEST_F(FillTest, AFieldThatIsMissingGetsItsDefault) {
  make({{"cat.txt", "a"}, {"dog.cls", "1"}}, {{"cls", {"label", {{"default", "-1"}}}, {}}});
  ASSERT_TRUE(fill().status.ok());
  std::int64_t label = 0;
  std::memcpy(&label, batch_->array(0).data(), sizeof label);
  EXPECT_EQ(label, -1);
}

TEST_F(FillTest, BytesThatWereRefusedAreNoMissingField) {
  make({{"cat.cls", "1"}}, {{"cls", {"label", {{"default", "-1"}}}, {}}});
  loaded_.pieces[0].status = not_found("no such file");
  const FillOutcome outcome = fill();
  EXPECT_EQ(message_of(outcome), "cls: no such file");
  EXPECT_EQ(outcome.stage, Stage::kRead);
}

TEST_F(FillTest, AnOpThatDoesNotFitTheImageFailsWhereItIsTransformed) {
  make({{"cat.jpg", jpeg_text(8)}}, {{"jpg", {"image", {}}, {{"random_crop", {{"size", "16"}}}}}});
  const FillOutcome outcome = fill();
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_EQ(outcome.stage, Stage::kTransform);
}

TEST_F(FillTest, ScratchSaysWhatItHolds) {
  make({{"cat.jpg", jpeg_text(64)}}, {{"jpg", {"image", {}}, {{"resize", {{"size", "16,16"}}}}}});
  const std::size_t before = scratch_.size_bytes();
  ASSERT_TRUE(fill().status.ok());
  EXPECT_GT(scratch_.size_bytes(), before);
}

}  // namespace
}  // namespace penstock::deliver
