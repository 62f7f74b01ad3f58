// Upcasters are verified on all stored events before they become active.

#include "tests/upcasters/deploy/deployer_fixture.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(DeployerTest, EveryEventOfItsVersionIsVerified) {
  for (int i = 0; i < 50; ++i) append_as("order-" + std::to_string(i), "Order", 1, R"({"total":1})");
  for (int i = 0; i < 10; ++i) append_as("order-1", "Order", 2, R"({"cents":1})");
  EXPECT_EQ(told(deploy(kEurosToCents)), "deployed, checked 50");
}

TEST_F(DeployerTest, ADryRunInstallsNothing) {
  append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_EQ(told(deploy(kEurosToCents, {.dry_run = DryRun::kYes})), "deployed, checked 1");
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
  EXPECT_EQ(head(), 3u);
}

TEST_F(DeployerTest, OneFailingEventAmongManyIsNamedAndTheOldUpcasterStays) {
  deployed(kEurosToCents);
  const std::string before = fingerprint();
  std::vector<NewEvent> events;
  for (int i = 0; i < 5'000; ++i) events.push_back(event_of("Order", 1, R"({"total":2})"));
  append("order-1", events);
  const auto odd = append_as("order-7", "Order", 1, R"({"total":-13})");
  append("order-2", events);
  const std::uint64_t head_before = head();

  const auto outcome =
      deploy(upcaster("Order", 1, 2, "assert(data.total > 0, 'not for refunds')\nreturn { cents = 1 }"));
  EXPECT_EQ(told(outcome), "failed on 1 of 10001: position " + std::to_string(odd.first_position.value) +
                               ": Order/1-2.lua:4: not for refunds");
  const auto& report = std::get<VerificationReport>(outcome.error());
  EXPECT_EQ(report.failures.at(0).stream, "order-7");
  EXPECT_EQ(report.failures.at(0).version, StreamVersion{1});
  EXPECT_EQ(head(), head_before);
  EXPECT_EQ(fingerprint(), before);
  EXPECT_THAT(read("order-7"), ElementsAre(R"(Order@2 {"cents":-1300})"));
}

TEST_F(DeployerTest, FailuresAreListedInOrderAndCountedByKind) {
  for (int i = 0; i < 300; ++i) {
    append_as("order-1", "Order", 1,
              i % 3 == 0   ? R"({"total":1})"
              : i % 3 == 1 ? R"({"total":0.001})"
                           : R"({"total":-1})");
  }
  const auto outcome = deploy(upcaster("Order", 1, 2,
                                       "if data.total < 0 then error('refund') end\n"
                                       "return { cents = data.total * 100 }"));
  const auto& report = std::get<VerificationReport>(outcome.error());
  EXPECT_EQ(report.checked, 300u);
  EXPECT_EQ(report.failed, 200u);
  ASSERT_THAT(report.failures, SizeIs(kFailuresListed));
  for (std::size_t i = 1; i < report.failures.size(); ++i) {
    EXPECT_LT(report.failures[i - 1].position, report.failures[i].position);
  }
  ASSERT_THAT(report.kinds, SizeIs(2));
  for (const auto& [kind, count] : report.kinds) EXPECT_EQ(count, 100u) << kind;
}

TEST_F(DeployerTest, StoredBytesNeverChange) {
  append_as("order-1", "Order", 1, R"({"total":3})");
  const auto before = events_in("order-1");
  deployed(kEurosToCents);
  EXPECT_EQ(events_in("order-1"), before);
  EXPECT_THAT(read("order-1", Shape::stored()), ElementsAre(R"(Order@1 {"total":3.0})"));
  close_all();
  expect_sound();
}

TEST_F(DeployerTest, AnUpcasterSurvivesARestart) {
  append_as("order-1", "Order", 1, R"({"total":3})");
  deployed(kEurosToCents);
  const std::string before = fingerprint();
  restart();
  EXPECT_EQ(fingerprint(), before);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"cents":300})"));
  EXPECT_EQ(told(deploy(kEurosToCents)), "unchanged, checked 0");
  EXPECT_EQ(told(deploy(kEurosToCents, {.dry_run = DryRun::kYes})), "unchanged, checked 1");
}

TEST_F(DeployerTest, AReplacedUpcasterHasAnotherFingerprintAndTheNextRevision) {
  append_as("order-1", "Order", 1, R"({"total":3})");
  deployed(kEurosToCents);
  const std::string first = fingerprint();
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"cents":300})"));
  deployed(upcaster("Order", 1, 2, "return { cents = 7 }"));
  EXPECT_NE(fingerprint(), first);
  EXPECT_EQ(shapes().upcasters().all().at(0)->revision, 2u);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@2 {"cents":7})"));
}

TEST_F(DeployerTest, ChainsHaveTheFingerprintOfAllThatIsInThem) {
  const auto at = append_as("order-1", "Order", 1, R"({"total":3})");
  Chains chains(shapes().history());
  const SchemaId stored{events_in("order-1").at(0).schema};
  const auto chain = [&] { return value_of(chains.find("Order", stored, Shape::latest()))->fingerprint; };
  const std::string without = chain();
  deployed(kEurosToCents);
  const std::string with = chain();
  EXPECT_NE(with, without);
  registered("Other", kEuros);
  EXPECT_EQ(chain(), with);
  deployed(upcaster("Order", 1, 2, "return { cents = 7 }"));
  EXPECT_NE(chain(), with);
  EXPECT_GT(at.first_position.value, 0u);
}

// --- Its place among the versions --------------------------------------------------------------------------

TEST_F(DeployerTest, AnUpcasterMustFitTheVersionsThereAre) {
  registered("Order", kMoney);
  struct Case {
    std::string type;
    int from;
    int to;
    std::string refusal;
  };
  const std::vector<Case> cases = {
      {"Nobody", 1, 2, "unknown-type: there is no event type Nobody"},
      {"Order", 2, 1, "cycle: an upcaster leads to a later version; this one leads from 2 to 1"},
      {"Order", 2, 2, "cycle: "},
      {"Order", 3, 4, "unknown-version: there is no version 4 of Order; it has: 1, 2, 3"},
      {"Order", 7, 8, "unknown-version: there is no version 7 of Order"},
      {"Order", 1, 3, "gap: the version after 1 of Order is 2"},
      {"Order", 1, 2, "gap: events could not continue from version 2 of Order: version 3 cannot read it"},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(told(deploy(upcaster(one.type, one.from, one.to, "return data"))), StartsWith(one.refusal));
  }
  deployed(kCentsToMoney);
  deployed(kEurosToCents);
  EXPECT_THAT(told(deploy(upcaster("Order", 1, 3, "return data"))),
              StartsWith("fork: events of version 1 of Order already go to version 2"));
}

TEST_F(DeployerTest, TheRequestMustAgreeWithTheScript) {
  const auto refusal = [&](UpcasterDraft draft) {
    draft.source = kEurosToCents;
    return told(shapes().deployer().deploy(draft, {}));
  };
  EXPECT_EQ(refusal({.source = "", .type = "Other"}),
            "wrong-target: the request is about type Other, the script says type = Order");
  EXPECT_THAT(refusal({.source = "", .from = 2}), StartsWith("wrong-target: the request is about from 2"));
  EXPECT_THAT(refusal({.source = "", .to = 3}), StartsWith("wrong-target: the request is about to 3"));
  EXPECT_THAT(refusal({.source = "", .type = "Order", .from = 1, .to = 2}), StartsWith("deployed"));
}

TEST_F(DeployerTest, AScriptThatIsNoUpcasterIsRefusedWithFileAndLine) {
  struct Case {
    std::string source;
    std::string refusal;
  };
  const std::vector<Case> cases = {
      {"return upcaster {\n type = 'Order', from = 1 to = 2 }", "script: test.lua:2: "},
      {"x = 1\nlocal y = x.z.w", "script: test.lua:2: attempt to index a number value"},
      {"return 7", "does not end with: return upcaster"},
      {"return projection { }", "returns projection { … }, not upcaster"},
      {"return upcaster { type = 'Order', from = 1, to = 2 }", "'upcast' must be a function"},
      {"return upcaster { type = 7, from = 1, to = 2, upcast = function(d) return d end }",
       "'type' must be the name of an event type"},
      {"return upcaster { type = 'Order', from = 0, to = 2, upcast = function(d) return d end }",
       "'from' must be the number of a version"},
      {"return upcaster { type = 'Order', from = 1, to = 'x', upcast = function(d) return d end }",
       "'to' must be the number of a version"},
      {"return upcaster { type = 'Order', from = 1, to = 2, upcat = 1, upcast = function(d) return d end }",
       "'upcat' is no member of an upcaster"},
      {"return upcaster { type = 'Order\\0', from = 1, to = 2, upcast = function(d) return d end }",
       "'type' must be the name of an event type"},
      {"return upcaster { type = ('x'):rep(1e6), from = 1, to = 2, upcast = function(d) return d end }",
       "'type' must be the name of an event type"},
      {"return upcaster { type = 'Order', from = 1, to = 2, produces = { 'a\\xff' }, upcast = function(d) "
       "return d end "
       "}",
       "'produces' must be a list of names"},
      {"return upcaster { type = 'Order', from = 1, to = 2, [('\\xff'):rep(1e6)] = 1, upcast = function(d) "
       "return d "
       "end }",
       "\uFFFD…' is no member of an upcaster"},
      {"while true do end", "steps"},
  };
  for (const Case& one : cases) EXPECT_THAT(told(deploy(one.source)), HasSubstr(one.refusal)) << one.source;
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
}

TEST_F(DeployerTest, AnEndlessScriptEndsTheVerification) {
  std::vector<NewEvent> events;
  for (int i = 0; i < 1'000; ++i) events.push_back(event_of("Order", 1, R"({"total":2})"));
  append("order-1", events);
  const auto outcome = deploy(upcaster("Order", 1, 2, "while true do end"));
  EXPECT_THAT(told(outcome), HasSubstr("steps"));
  const auto& report = std::get<VerificationReport>(outcome.error());
  EXPECT_FALSE(report.complete);
  EXPECT_LE(report.failed, 2u);
}

// --- Old versions, later versions --------------------------------------------------------------------------

TEST_F(DeployerTest, EventsOfOlderVersionsThatPassThroughAreVerifiedToo) {
  registered("Order", kMoney);
  deployed(kCentsToMoney);
  deployed(kEurosToCents);
  append_as("order-1", "Order", 1, R"({"total":1})");
  append_as("order-2", "Order", 2, R"({"cents":5})");
  const auto outcome =
      deploy(upcaster("Order", 2, 3, "assert(data.cents ~= 100) return { amount = 1, currency = '' }"));
  EXPECT_THAT(told(outcome), StartsWith("failed on 1 of 2: position 6: Order/2-3.lua"));
}

TEST_F(DeployerTest, AFailureBehindTheUpcasterCountsWhenItWasNotThereBefore) {
  registered("Order", kMoney);
  deployed(
      upcaster("Order", 2, 3, "assert(data.cents < 1000) return { amount = data.cents, currency = 'EUR' }"));
  deployed(kEurosToCents);
  append_as("order-1", "Order", 1, R"({"total":1})");
  EXPECT_THAT(told(deploy(upcaster("Order", 1, 2, "return { cents = 5000 }"))),
              StartsWith("failed on 1 of 1: position 6: Order/2-3.lua"));
}

TEST_F(DeployerTest, FailuresElsewhereDoNotRefuseACorrectedUpcaster) {
  registered("Order", kMoney);
  deployed(
      upcaster("Order", 2, 3, "assert(data.cents < 1000) return { amount = data.cents, currency = 'EUR' }"));
  deployed(
      upcaster("Order", 1, 2, "assert(data.total ~= 3) return { cents = math.tointeger(data.total * 100) }"));
  append_as("order-1", "Order", 1, R"({"total":3})");   // fails at the first step
  append_as("order-2", "Order", 1, R"({"total":50})");  // fails at the second
  EXPECT_EQ(told(deploy(kEurosToCents)), "deployed, checked 1");
  EXPECT_EQ(told(deploy(kCentsToMoney)), "deployed, checked 2");
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":300,"currency":"EUR"})"));
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@3 {"amount":5000,"currency":"EUR"})"));
}

TEST_F(DeployerTest, ARecreatedSubjectIgnoresItsOldUpcasters) {
  append_as("order-1", "Order", 1, R"({"total":1})");
  deployed(kEurosToCents);
  ASSERT_TRUE(registry().delete_subject("Order", Permanent::kNo).ok());
  ASSERT_TRUE(registry().delete_subject("Order", Permanent::kYes).ok());
  registered("Order", record(R"({"name":"a","type":"int"})"));
  registered("Order", record(R"({"name":"a","type":"long"})"));
  append_as("order-2", "Order", 1, R"({"a":1})");
  EXPECT_THAT(read("order-2"), ElementsAre(R"(Order@2 {"a":1})"));
}

// --- With a schema -----------------------------------------------------------------------------------------

TEST_F(DeployerTest, AnIncompatibleSchemaIsRegisteredWithItsUpcaster) {
  append_as("order-1", "Order", 2, R"({"cents":5})");
  const auto outcome = register_with("Order", kMoney, kCentsToMoney);
  EXPECT_EQ(told(outcome), "deployed, checked 1");
  EXPECT_EQ(outcome->schema, registry().version("Order", 3)->id);
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":5,"currency":"EUR"})"));
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney)), "unchanged, checked 0");
  restart();
  EXPECT_THAT(read("order-1"), ElementsAre(R"(Order@3 {"amount":5,"currency":"EUR"})"));
}

TEST_F(DeployerTest, ASchemaWhoseUpcasterFailsIsNotRegistered) {
  append_as("order-1", "Order", 2, R"({"cents":5})");
  const std::uint64_t before = head();
  EXPECT_THAT(told(register_with("Order", kMoney, upcaster("Order", 2, 3, "error('no')"))),
              StartsWith("failed on 1 of 1"));
  EXPECT_THAT(told(register_with("Order", kMoney, upcaster("Order", 1, 2, "return data"))),
              StartsWith("wrong-target: the schema becomes version 3"));
  EXPECT_THAT(told(register_with("Line", kMoney, kCentsToMoney)), StartsWith("wrong-target"));
  EXPECT_THAT(told(register_with("Order", "{", kCentsToMoney)), StartsWith("schema: "));
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney, {.dry_run = DryRun::kYes})),
            "deployed, checked 1");
  EXPECT_EQ(registry().version("Order", 3), nullptr);
  EXPECT_EQ(head(), before);
}

// Parsing and comparing schemas has a budget, and ends when the server stops.
TEST_F(DeployerTest, APlanBeyondItsBudgetChangesNothing) {
  const std::uint64_t before = head();
  const DeployOptions no_time{.planning_cpu_max = std::chrono::nanoseconds(0)};
  EXPECT_THAT(told(register_with("Order", kMoney, kCentsToMoney, no_time)),
              StartsWith("schema: The request takes too long"));
  const std::atomic<bool> stopping{true};
  EXPECT_THAT(told(register_with("Order", kMoney, kCentsToMoney, {.stopping = &stopping})),
              HasSubstr("was cancelled"));
  EXPECT_EQ(head(), before);
  // A version behind the upcaster, which has to be able to read the one it leads to.
  registered("Order", record(R"({"name":"cents","type":"long"},{"name":"tax","type":"long","default":0})"));
  EXPECT_THAT(told(deploy(kEurosToCents, no_time)), StartsWith("store: the work took more than 0 ms"));
  EXPECT_THAT(shapes().upcasters().all(), IsEmpty());
  deployed(kEurosToCents);
}

TEST_F(DeployerTest, SchemaAndUpcasterAreOneAtomicAppend) {
  EXPECT_EQ(told(register_with("Order", kMoney, kCentsToMoney)), "deployed, checked 0");
  const auto schema = log({{"$schemas"}, {}}).back();
  const auto definition = log({{"$definitions"}, {}}).back();
  EXPECT_EQ(schema.position + 1, definition.position);
}

}  // namespace
}  // namespace cairn::test
