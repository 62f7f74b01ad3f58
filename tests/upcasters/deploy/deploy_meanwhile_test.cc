// Concurrency of a deployment: events are appended, readers read, the deployment is cancelled, or the process
// ends and the next one settles what it left.

#include <atomic>
#include <thread>

#include "tests/upcasters/deploy/deployer_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
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
  std::thread writer([&] {
    while (!stop) append("order-2", {event});
  });
  for (int i = 0; i < 5; ++i) {
    const auto outcome = deploy(upcaster("Order", 1, 2, "return { cents = " + std::to_string(i) + " }"));
    ASSERT_TRUE(outcome) << told(outcome);
    const auto upcaster = shapes().upcasters().all().at(0);
    std::uint64_t before = 0;
    for (const Event& one : log({{}, {"Order"}}, Direction::kForward, 1'000)) {
      if (one.position < upcaster->position.value) ++before;
    }
    // Events appended behind the definition before it became active were verified too.
    EXPECT_GE(outcome->report.checked, before);
  }
  stop = true;
  writer.join();
}

TEST_F(DeployMeanwhileTest, AnUnsettledDefinitionIsVerifiedAtTheNextStart) {
  // The state after a crash: the definition is in the log, but two events before it were not verified.
  const auto good = append_as("order-1", "Order", 1, R"({"total":1})");
  for (const char* total : {"2", "-1"})
    append_as("order-2", "Order", 1, std::string(R"({"total":)") + total + "}");
  const auto install = [&](const std::string& source) {
    UpcasterInstalled installed;
    installed.upcaster.header = {"Order", 1, 2, {}};
    installed.upcaster.source = source;
    installed.upcaster.fingerprint = fingerprint_of(installed.upcaster.header, source);
    installed.upcaster.from_schema = registry().version("Order", 1)->id;
    installed.upcaster.to_schema = registry().version("Order", 2)->id;
    installed.verified_through = good.first_position;
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back(
        {std::string(kDefinitionStream), ExpectedVersion::any(), {to_new_event(installed)}});
    ASSERT_THAT(store().append(request), succeeds());
  };
  install(kEurosToCents);
  restart();
  EXPECT_EQ(shapes().upcasters().all().at(0)->source, kEurosToCents);

  install(upcaster("Order", 1, 2, "assert(data.total > 0) return { cents = 1 }"));
  restart();
  EXPECT_EQ(shapes().upcasters().all().at(0)->source, kEurosToCents);
  EXPECT_EQ(log({{"$definitions"}, {}}).back().type, "UpcasterWithdrawn");
  const std::uint64_t before = head();
  restart();
  EXPECT_EQ(shapes().upcasters().all().at(0)->source, kEurosToCents);
  EXPECT_EQ(head(), before);
}

TEST_F(DeployMeanwhileTest, ALaterChangeDoesNotMakeAnOldDefinitionFailAtTheNextStart) {
  // Both definitions stand behind an event that they were verified on only afterwards; the event behind them
  // fails schema resolution, which is not a failure of the upcasters.
  registered("Order", kMoney);
  const auto install = [&](const std::string& source, std::uint32_t from) {
    UpcasterInstalled installed;
    installed.upcaster.header = {"Order", from, from + 1, {}};
    installed.upcaster.source = source;
    installed.upcaster.fingerprint = fingerprint_of(installed.upcaster.header, source);
    installed.upcaster.from_schema = registry().version("Order", from)->id;
    installed.upcaster.to_schema = registry().version("Order", from + 1)->id;
    append_as("order-1", "Order", 1, R"({"total":1})");
    AppendRequest request;
    request.origin = Origin::kSystem;
    request.streams.push_back(
        {std::string(kDefinitionStream), ExpectedVersion::any(), {to_new_event(installed)}});
    ASSERT_THAT(store().append(request), succeeds());
  };
  install(kEurosToCents, 1);
  install(kCentsToMoney, 2);
  registered("Order", record(R"({"name":"must","type":"string"})"));
  const std::uint64_t before = head();
  restart();
  EXPECT_THAT(shapes().upcasters().all(), SizeIs(2));
  EXPECT_EQ(head(), before);
}

TEST_F(DeployMeanwhileTest, AReasonThatIsNotUtf8CanBeStored) {
  // The failing event is appended after the last verification, so the definition has to be withdrawn.
  for (int i = 0; i < 1'500; ++i) append_as("order-1", "Order", 1, R"({"total":2})");
  const NewEvent odd = event_of("Order", 1, R"({"total":-1})");
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) append("order-odd", {odd});
  });
  const auto outcome =
      deploy(upcaster("Order", 1, 2, "if data.total < 0 then error('\\xff\\xfe') end return { cents = 1 }"));
  stop = true;
  writer.join();
  EXPECT_THAT(told(outcome), StartsWith("failed on"));
  restart();
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
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
