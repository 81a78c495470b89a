#include "penstock/analyze/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace penstock::analyze {
namespace {

using deliver::Snapshot;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr RunFacts kTwoCores{.cores = 2, .machine_cores = 2};

// Ten seconds of a run on two cores that is limited by decoding: a sample takes 1 ms of decoding
// and 0.2 ms of transforming, and nothing else takes time.
Snapshot decoding() {
  Snapshot passed;
  passed.time_s = 10;
  passed.batches = 260;
  for (auto* stage : passed.stages()) stage->samples = 16'660;
  passed.read.threads = 1;
  passed.read.busy_s = 0.5;
  passed.reader_cpu_s = 0.1;
  passed.decode.threads = passed.transform.threads = 2;
  passed.decode.busy_s = 16.6;
  passed.transform.busy_s = 3.3;
  passed.worker_cpu_s = 19.9;
  passed.trainer.threads = 1;
  passed.trainer.wait_input_s = 10;
  passed.process_cpu_s = passed.machine_cpu_s = 20;
  return passed;
}

const Change& change(const Verdict& verdict, std::string_view what) {
  for (const Change& change : verdict.changes) {
    if (change.what == what) return change;
  }
  ADD_FAILURE() << "no " << what;
  return verdict.changes.front();
}

TEST(VerdictTest, NamesDecoding) {
  const Verdict verdict = analyze::verdict(decoding(), kTwoCores);
  EXPECT_EQ(verdict.limit, "decode");
  EXPECT_NEAR(verdict.rate, 1666, 1);
  EXPECT_NEAR(change(verdict, "2 more cores").rate, 3332, 40);
  EXPECT_NEAR(change(verdict, "faster storage").gain, 0, 0.01);
  EXPECT_NEAR(change(verdict, "no transform").rate, 2000, 40);
  EXPECT_THAT(verdict.sentence, StartsWith("decode limits: 1,666 samples/s of a possible "));
  EXPECT_THAT(verdict.sentence, HasSubstr("faster storage gives nothing"));
}

TEST(VerdictTest, NamesStorageThatReadersWaitFor) {
  Snapshot passed = decoding();
  for (auto* stage : passed.stages()) stage->samples /= 4;
  passed.read.busy_s = 9.9;
  passed.decode.busy_s /= 4;
  passed.transform.busy_s /= 4;
  passed.worker_cpu_s /= 4;
  passed.decode.wait_input_s = 15;
  passed.process_cpu_s = passed.machine_cpu_s = 5.1;
  const Verdict verdict = analyze::verdict(passed, kTwoCores);
  EXPECT_EQ(verdict.limit, "storage");
  EXPECT_NEAR(verdict.possible, 1666, 60);
  EXPECT_NEAR(change(verdict, "2 more cores").gain, 0, 0.01);
}

TEST(VerdictTest, NamesTheTrainerAndWhatTheLoaderCouldGive) {
  Snapshot passed = decoding();
  for (auto* stage : passed.stages()) stage->samples /= 2;
  passed.decode.busy_s /= 2;
  passed.transform.busy_s /= 2;
  passed.worker_cpu_s /= 2;
  passed.transform.wait_output_s = 10;
  passed.trainer.busy_s = 9.9;
  passed.trainer.wait_input_s = 0.1;
  passed.process_cpu_s = passed.machine_cpu_s = 10.1;
  const Verdict verdict = analyze::verdict(passed, kTwoCores);
  EXPECT_EQ(verdict.limit, "trainer");
  EXPECT_NEAR(verdict.possible, 1666, 60);
}

TEST(VerdictTest, NamesAFunctionThatTakesLongerThanTheStep) {
  Snapshot passed = decoding();
  for (auto* stage : passed.stages()) stage->samples /= 2;
  passed.decode.busy_s /= 2;
  passed.transform.busy_s /= 2;
  passed.worker_cpu_s /= 2;
  passed.trainer.busy_s = 2;
  passed.map.busy_s = 7.9;
  passed.trainer.wait_input_s = 0.1;
  passed.process_cpu_s = passed.machine_cpu_s = 10.1;
  EXPECT_EQ(analyze::verdict(passed, kTwoCores).limit, "map");
}

TEST(VerdictTest, NamesThreadsWhereCoresAreFree) {
  Snapshot passed = decoding();
  passed.decode.threads = passed.transform.threads = 1;
  for (auto* stage : passed.stages()) stage->samples /= 2;
  passed.decode.busy_s /= 2;
  passed.transform.busy_s /= 2;
  passed.worker_cpu_s /= 2;
  passed.process_cpu_s = passed.machine_cpu_s = 10.1;
  const Verdict verdict = analyze::verdict(passed, kTwoCores);
  EXPECT_EQ(verdict.limit, "threads");
  EXPECT_NEAR(verdict.possible, 1666, 60);
}

TEST(VerdictTest, NamesPrefetchWhereBothSidesWait) {
  Snapshot passed = decoding();
  for (auto* stage : passed.stages()) stage->samples /= 2;
  passed.decode.busy_s /= 2;
  passed.transform.busy_s /= 2;
  passed.worker_cpu_s /= 2;
  passed.transform.wait_output_s = 9;
  passed.trainer.busy_s = 5;
  passed.trainer.wait_input_s = 5;
  passed.process_cpu_s = passed.machine_cpu_s = 10.1;
  const Verdict verdict = analyze::verdict(passed, kTwoCores);
  EXPECT_EQ(verdict.limit, "prefetch");
  EXPECT_NEAR(verdict.possible, 1666, 60);
}

TEST(VerdictTest, SaysThatOtherProcessesTakeTheCores) {
  Snapshot passed = decoding();
  for (auto* stage : passed.stages()) stage->samples /= 2;
  passed.worker_cpu_s /= 2;
  passed.process_cpu_s = 10.1;
  passed.machine_cpu_s = 20;
  const Verdict verdict = analyze::verdict(passed, kTwoCores);
  EXPECT_EQ(verdict.limit, "decode");
  EXPECT_THAT(verdict.sentence, HasSubstr("other processes take 1.0 of 2 cores"));
}

TEST(VerdictTest, MoreCoresDoNotMakeMemoryFaster) {
  RunFacts facts = kTwoCores;
  facts.sample_bytes = 2e6;
  facts.memory_bytes_per_s = 5e9;
  const Verdict verdict = analyze::verdict(decoding(), facts);
  EXPECT_EQ(verdict.limit, "decode");
  EXPECT_NEAR(change(verdict, "2 more cores").rate, 2500, 30);
}

TEST(VerdictTest, NamesMemory) {
  RunFacts facts = kTwoCores;
  facts.sample_bytes = 2e6;
  facts.memory_bytes_per_s = 3.3e9;
  const Verdict verdict = analyze::verdict(decoding(), facts);
  EXPECT_EQ(verdict.limit, "memory");
  EXPECT_THAT(verdict.sentence, HasSubstr("which moves 3.3 GB/s at most"));
}

TEST(VerdictTest, SaysThatThereIsNothingToJudge) {
  EXPECT_EQ(analyze::verdict(Snapshot{}, kTwoCores).sentence, "nothing was delivered yet");
}

TEST(VerdictTest, FitsATerminal) {
  std::size_t begin = 0;
  const std::string text = print(analyze::verdict(decoding(), kTwoCores));
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
  }
}

TEST(VerdictTest, JudgesByTheLastSecondsAndNotByTheFirstOne) {
  std::vector<Snapshot> history(100);
  for (std::size_t i = 0; i < history.size(); ++i) {
    history[i].time_s = 0.1 * static_cast<double>(i);
    history[i].trainer.samples = i;
  }
  EXPECT_EQ(recent(history, history.back(), 5).trainer.samples, 50u);
  EXPECT_EQ(recent(history, history.back(), 100).trainer.samples, 89u);
  EXPECT_EQ(recent({}, history.back(), 5).trainer.samples, 99u);
}

}  // namespace
}  // namespace penstock::analyze
