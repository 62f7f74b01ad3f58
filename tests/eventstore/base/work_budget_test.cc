#include "eventstore/base/work_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace cairn {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;

// The steps that a loop of single steps may do, at most `most`.
std::uint64_t steps_done(WorkBudget& budget, std::uint64_t most = 1'000'000) {
  std::uint64_t done = 0;
  while (done < most && budget.charge()) ++done;
  return done;
}

TEST(WorkBudgetTest, WithoutLimitsWorkGoesOn) {
  WorkBudget budget;
  EXPECT_EQ(steps_done(budget), 1'000'000u);
  EXPECT_TRUE(budget.charge(1'000'000'000'000));
  EXPECT_EQ(budget.steps(), 1'000'001'000'000u);
  EXPECT_EQ(budget.end(), WorkEnd::kNone);
}

TEST(WorkBudgetTest, ExactlyTheStepsOfTheLimitAreDone) {
  for (const std::uint64_t limit : {0, 1, 999, 1'000, 1'001, 54'321}) {
    WorkBudget budget(WorkLimits{.steps = limit});
    EXPECT_EQ(steps_done(budget), limit);
    EXPECT_EQ(budget.end(), WorkEnd::kSteps);
    EXPECT_FALSE(budget.charge(0)) << "an ended task stays ended";
    EXPECT_FALSE(budget.charge());
    EXPECT_EQ(budget.steps(), limit + 1);
  }
}

TEST(WorkBudgetTest, ManyStepsAtOnceAreCountedAlike) {
  WorkBudget budget(WorkLimits{.steps = 10'000});
  EXPECT_TRUE(budget.charge(4'000));
  EXPECT_TRUE(budget.charge(6'000));
  EXPECT_FALSE(budget.charge(1));
  WorkBudget other(WorkLimits{.steps = 10'000});
  EXPECT_FALSE(other.charge(WorkLimits::kNoSteps));
  EXPECT_EQ(other.steps(), WorkLimits::kNoSteps) << "no overflow";
}

TEST(WorkBudgetTest, CancelledWorkEndsAtTheNextCheck) {
  WorkBudget budget;
  EXPECT_EQ(steps_done(budget, 1'500), 1'500u);
  std::thread([&] { budget.cancel(); }).join();
  EXPECT_LE(steps_done(budget), WorkBudget::kStepsBetweenChecks);
  EXPECT_EQ(budget.end(), WorkEnd::kCancelled);
  EXPECT_EQ(budget.error("7 of 9 parts").code, Errc::kCancelled);
  EXPECT_THAT(budget.error("7 of 9 parts").message, HasSubstr("7 of 9 parts"));
}

TEST(WorkBudgetTest, AFlagForAllTasksEndsTheTask) {
  std::atomic<bool> stopping = false;
  WorkBudget budget;
  budget.cancel_with(stopping);
  EXPECT_EQ(steps_done(budget, 1'500), 1'500u);
  stopping = true;
  EXPECT_LE(steps_done(budget), WorkBudget::kStepsBetweenChecks);
  EXPECT_EQ(budget.end(), WorkEnd::kCancelled);
}

TEST(WorkBudgetTest, ProcessorTimeCountsOnEachThreadOfTheTask) {
  WorkBudget budget(WorkLimits{.cpu = milliseconds(20)});
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
  };
  const auto work = [&](milliseconds time) {
    const WorkBudget::OnThread here(budget);
    for (const auto begin = used(); used() - begin < time;) {
      if (!budget.charge(100)) return;
    }
  };
  std::thread([&] { work(milliseconds(15)); }).join();
  EXPECT_EQ(budget.end(), WorkEnd::kNone);
  const auto begin = used();
  work(milliseconds(1'000));
  EXPECT_EQ(budget.end(), WorkEnd::kCpu) << "15 ms on another thread, and 5 ms on this one";
  EXPECT_LT(used() - begin, milliseconds(20)) << "what the first thread took counts";
  EXPECT_EQ(budget.error("").code, Errc::kBudgetExceeded);
  EXPECT_THAT(budget.error("page 3").message, HasSubstr("20 ms of processor time: page 3"));
}

TEST(WorkBudgetTest, TimeCountsFromTheBeginning) {
  WorkBudget budget(WorkLimits{.time = nanoseconds(1)});
  EXPECT_LE(steps_done(budget), WorkBudget::kStepsBetweenChecks);
  EXPECT_EQ(budget.end(), WorkEnd::kTime);
  EXPECT_EQ(budget.error("").code, Errc::kBudgetExceeded);
}

TEST(WorkBudgetTest, APartIsChargedToTheWhole) {
  WorkBudget whole(WorkLimits{.steps = 10'000});
  {
    WorkBudget part(WorkLimits{.steps = 3'000}, &whole);
    EXPECT_EQ(steps_done(part), 3'000u);
    EXPECT_EQ(part.end(), WorkEnd::kSteps);
    EXPECT_FALSE(whole.has_ended()) << "only the part has ended";
  }
  for (int i = 0; i < 10; ++i) {
    WorkBudget part(WorkLimits{.steps = 3'000}, &whole);
    EXPECT_EQ(steps_done(part, 100), 100u);
  }
  EXPECT_EQ(whole.steps(), 4'001u) << "with the refused one; parts below a check count too";
  WorkBudget part(WorkLimits{}, &whole);
  EXPECT_LE(steps_done(part), 6'000u + WorkBudget::kStepsBetweenChecks);
  EXPECT_EQ(part.end(), WorkEnd::kSteps);
  EXPECT_THAT(part.error("").message, HasSubstr("10000 steps"));
}

TEST(WorkBudgetTest, APartEndsWhenTheWholeIsCancelled) {
  WorkBudget whole;
  WorkBudget part(WorkLimits{}, &whole);
  EXPECT_TRUE(part.charge());
  whole.cancel();
  EXPECT_LE(steps_done(part), 2 * WorkBudget::kStepsBetweenChecks);
  EXPECT_EQ(part.end(), WorkEnd::kCancelled);
}

}  // namespace
}  // namespace cairn
