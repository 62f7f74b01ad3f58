// Concurrency of a deployment: events are appended, readers read, the deployment is cancelled.

#include <atomic>
#include <thread>

#include "tests/upcasters/deploy/deployer_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class DeployMeanwhileTest : public DeployerTest {};

TEST_F(DeployMeanwhileTest, EventsAppendedMeanwhileAreVerifiedBeforeItIsActive) {
  for (int i = 0; i < 3'000; ++i) append_as("order-1", "Order", 1, R"({"total":2})");
  bool added = false;
  const auto outcome = deploy(upcaster("Order", 1, 2, "assert(data.total > 0, 'odd') return { cents = 1 }"),
                              {.progress = [&](const VerificationProgress&) {
                                if (!added) append_as("order-odd", "Order", 1, R"({"total":-1})");
                                added = true;
                                return true;
                              }});
  ASSERT_TRUE(added);
  EXPECT_THAT(told(outcome), HasSubstr("odd"));
  EXPECT_THAT(told(outcome), StartsWith("failed on 1 of 3001"));
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
}

TEST_F(DeployMeanwhileTest, NoEventOfABusyWriterEscapesVerification) {
  // Every event has its number; the script fails on none, and the report counts the events it was run on.
  append_as("order-1", "Order", 1, R"({"total":1})");
  const NewEvent event = event_of("Order", 1, R"({"total":2})");
  std::atomic<bool> stop{false};
  shapes();
  std::thread writer([&] {
    while (!stop) {
      if (shapes().hold().active()) {
        std::this_thread::yield();
      } else {
        append("order-2", {event});
      }
    }
  });
  for (int i = 0; i < 5; ++i) {
    const auto outcome = deploy(upcaster("Order", 1, 2, "return { cents = " + std::to_string(i) + " }"));
    ASSERT_TRUE(outcome) << told(outcome);
    const auto upcaster = shapes().upcasters().all().at(0);
    std::uint64_t before = 0;
    for (const Event& one : log({{}, {"Order"}}, Direction::kForward, 1'000)) {
      if (one.position < upcaster->position.value) ++before;
    }
    EXPECT_EQ(outcome->report.checked, before);
  }
  stop = true;
  writer.join();
}

TEST_F(DeployMeanwhileTest, AnEventThatComesInAfterTheLastVerificationIsVerifiedBeforeTheDeployment) {
  append_as("order-1", "Order", 1, R"({"total":2})");
  const NewEvent odd = event_of("Order", 1, R"({"total":-1})");
  const std::uint64_t before = head();
  // The progress of a verification is told after its last event.
  const auto outcome = deploy(upcaster("Order", 1, 2, "assert(data.total > 0, 'odd') return { cents = 1 }"),
                              {.progress = [&](const VerificationProgress& progress) {
                                if (progress.position == progress.head && head() == before)
                                  append("order-odd", {odd});
                                return true;
                              }});
  EXPECT_THAT(told(outcome), StartsWith("failed on 1 of 2"));
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
  EXPECT_THAT(log({{"$definitions"}, {}}), IsEmpty());
}

TEST_F(DeployMeanwhileTest, ARefusedDeploymentWithASchemaAppendsNothing) {
  deployed(kEurosToCents);
  append_as("order-1", "Order", 2, R"({"cents":5})");
  const NewEvent odd = event_of("Order", 2, R"({"cents":-1})");
  std::uint64_t last = head();
  const auto outcome = register_with(
      "Order", kMoney,
      upcaster("Order", 2, 3, "assert(data.cents > 0, 'odd') return { amount = 1, currency = 'EUR' }"),
      {.progress = [&](const VerificationProgress& progress) {
        if (progress.position == progress.head && head() == last)
          last = append("order-odd", {odd}).last_position.value;
        return true;
      }});
  EXPECT_THAT(told(outcome), StartsWith("failed on 1 of 2"));
  EXPECT_EQ(head(), last);
  EXPECT_EQ(registry().version("Order", 3), nullptr);
}

TEST_F(DeployMeanwhileTest, AppendsOfTheTypeWaitAfterFiveRoundsAndTheDeploymentEnds) {
  const NewEvent event = event_of("Order", 1, R"({"total":2})");
  append("order-1", {event});
  AppendHold& hold = shapes().hold();
  int rounds = 0;
  int released = 0;
  std::vector<std::string_view> others = {"Other"};
  std::vector<std::string_view> types = {"Other", "Order"};
  const auto outcome = deploy(kEurosToCents, {.progress = [&](const VerificationProgress& progress) {
                                if (progress.position != progress.head) return true;
                                EXPECT_FALSE(hold.wait(others, [] {}));
                                if (hold.active()) {
                                  EXPECT_TRUE(hold.wait(types, [&] { ++released; }));
                                } else {
                                  ++rounds;
                                  append("order-1", {event});  // each round finds one more
                                }
                                return true;
                              }});
  EXPECT_EQ(told(outcome), "deployed, checked 6");
  EXPECT_EQ(rounds, 5);
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(hold.active());
}

TEST_F(DeployMeanwhileTest, AppendsWaitNoLongerThanTheirTimeWhileASlowScriptIsVerified) {
  AppendHold hold;
  int released = 0;
  hold.begin({"Order"}, std::chrono::milliseconds(0));
  EXPECT_TRUE(hold.wait({"Order"}, [&] { ++released; }));
  hold.end_if_over();
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(hold.active());
  EXPECT_FALSE(hold.wait({"Order"}, [&] { ++released; }));
  hold.begin({"Order"}, std::chrono::hours(1));
  hold.end_if_over();
  EXPECT_TRUE(hold.active());
}

TEST_F(DeployMeanwhileTest, AnAppendThatSaysNothingOfItsChecksIsNotRefused) {
  deployed(kEurosToCents);
  append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_EQ(read("order-1").size(), 1u);
}

TEST_F(DeployMeanwhileTest, ADeploymentAdvancesTheRevision) {
  const SchemaRevision before = shapes().revision();
  const NewEvent event = event_of("Order", 1, R"({"total":1})");
  AppendRequest checked = request({to("order-1", ExpectedVersion::any(), {event})});
  checked.checks.revision = before;
  ASSERT_THAT(submit(checked), succeeds());
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney)), "deployed, checked 0");
  EXPECT_EQ(shapes().revision().value, before.value + 2);
  EXPECT_THAT(submit(checked), fails_with(Errc::kStale));
  checked.checks.revision = shapes().revision();
  EXPECT_THAT(submit(checked), succeeds());
}

TEST_F(DeployMeanwhileTest, AnUpcasterIsNeverMissingWhereItsSchemaIs) {
  append_as("order-1", "Order", 2, R"({"cents":5})");
  const StreamPage page = value_of(store().read_stream("order-1", {}));
  std::atomic<bool> stop{false};
  std::vector<std::string> unexpected;
  std::thread reader([&] {
    while (!stop) {
      const ShaperPool::Lease shaper = shapes().shapers().lease();
      for (const std::string& seen : shaped(*shaper, page.events[0], Shape::latest())) {
        if (seen != R"(Order@2 {"cents":5})" && seen != R"(Order@3 {"amount":5,"currency":"EUR"})") {
          unexpected.push_back(seen);
        }
      }
    }
  });
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney)), "deployed, checked 1");
  stop = true;
  reader.join();
  EXPECT_THAT(unexpected, IsEmpty());
}

TEST_F(DeployMeanwhileTest, ACancelledDeploymentInstallsNothing) {
  append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_EQ(told(deploy(kEurosToCents, {.progress = [](const VerificationProgress&) { return false; }})),
            "store: given up before the end");
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
}

}  // namespace
}  // namespace cairn::test
