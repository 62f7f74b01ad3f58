// Upcasters on the command line, with a real server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/cairn_process.h"
#include "tests/tools/cli/schema/schema_files.h"
#include "tests/tools/cli/upcaster/upcaster_files.h"
#include "tests/tools/running_server.h"

namespace cairn::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTotalInt[] = R"({"name":"total","type":"int"})";
constexpr char kCents[] = R"({"name":"cents","type":"int"})";

std::string order(const std::string& field) { return record("Order", std::string(kId) + "," + field); }

const std::string kToCents = upcaster("Order", 1, "data.cents = data.total * 100; data.total = nil");

// Fails on orders without a total, at its fourth line.
const std::string kPicky = upcaster("Order", 1, R"(if data.total == 0 then error("no total") end
    data.cents = data.total; data.total = nil)");

class UpcasterServerTest : public ::testing::Test {
 protected:
  Finished cairn(std::vector<std::string> words) const {
    words.insert(words.end(), {"--url", server_.url()});
    return run_cairn(words);
  }
  Finished deploy(const std::string& source, const std::vector<std::string>& more = {}) const {
    files_.put("1-2.lua", source);
    std::vector<std::string> words = {"upcaster", "deploy", files_.path_of("1-2.lua")};
    words.insert(words.end(), more.begin(), more.end());
    return cairn(words);
  }
  Finished register_all() const { return cairn({"schema", "register", "--dir", schemas_.path()}); }
  Finished check_all() const { return cairn({"schema", "check", "--dir", schemas_.path()}); }

  void append(int total) const {
    const json data = {{"id", "a"}, {"total", total}};
    const Finished done = cairn({"append", "order-1", "--type", "Order", "--data", data.dump()});
    EXPECT_EQ(done.exit_code, 0) << done.errors;
  }

  // The data of all orders in a shape.
  std::vector<json> orders(const std::string& shape = "latest") const {
    const Finished done = cairn({"read", "order-1", "--json", "--shape", shape});
    EXPECT_EQ(done.exit_code, 0) << done.errors;
    std::vector<json> events;
    std::istringstream lines(done.output);
    for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line)["data"]);
    EXPECT_GE(events.size(), 3u);
    events.resize(std::max<std::size_t>(events.size(), 3));  // so that a test fails and does not crash
    return events;
  }

  json installed() const { return json::parse(cairn({"upcaster", "list", "--json"}).output)["upcasters"]; }

  SchemaFiles files_;
  SchemaFiles schemas_;
  RunningServer server_;
};

// Two versions that do not go together, let in because nothing is asked of them, and some orders of the
// first.
class UpcasterBesideServerTest : public UpcasterServerTest {
 protected:
  UpcasterBesideServerTest() {
    EXPECT_EQ(cairn({"schema", "config", "Order", "NONE"}).exit_code, 0);
    schemas_.put("Order/1.avsc", order(kTotalInt));
    EXPECT_EQ(register_all().exit_code, 0);
    for (const int total : {1, 2, 0}) append(total);
    schemas_.put("Order/2.avsc", order(kCents));
    const Finished registered = register_all();
    EXPECT_EQ(registered.exit_code, 0) << registered.output << registered.errors;
  }
};

TEST_F(UpcasterBesideServerTest, ADeployedUpcasterConvertsEvents) {
  const Finished dry = deploy(kToCents, {"--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.errors;
  EXPECT_THAT(dry.output, MatchesRegex("Order 1 → 2: checked 3 events, would be installed as revision 1 "
                                       "\\(fingerprint [0-9a-f]{8}…\\)\n"));
  EXPECT_THAT(installed(), IsEmpty());

  const Finished done = deploy(kToCents);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.output,
              StartsWith("Order 1 → 2: checked 3 events, installed as revision 1 (fingerprint "));
  EXPECT_THAT(deploy(kToCents).output, StartsWith("Order 1 → 2: already installed as revision 1 "));
  EXPECT_THAT(orders(), ElementsAre(json{{"id", "a"}, {"cents", 100}}, json{{"id", "a"}, {"cents", 200}},
                                    json{{"id", "a"}, {"cents", 0}}));
  EXPECT_EQ(orders("stored")[0], json({{"id", "a"}, {"total", 1}}));
  EXPECT_EQ(orders("1")[0], json({{"id", "a"}, {"total", 1}}));

  const json again = json::parse(deploy("-- changed\n" + kToCents, {"--json"}).output);
  EXPECT_EQ(again["revision"], 2);
  EXPECT_EQ(again["checked"], 3);
}

TEST_F(UpcasterBesideServerTest, OneFailedEventPreventsTheDeployment) {
  ASSERT_EQ(deploy(kToCents).exit_code, 0);
  const json before = installed();
  const Finished no = deploy(kPicky);
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.output,
              AllOf(HasSubstr("POSITION"), HasSubstr("  order-1  3        Order/1-2.lua:4: no total"),
                    HasSubstr("\nCOUNT  ERROR\n1      "), Not(HasSubstr("and "))));
  EXPECT_EQ(no.errors, "cairn: the upcaster fails on 1 of 3 events; nothing was changed\n");
  EXPECT_EQ(installed(), before);

  const Finished as_json = deploy(kPicky, {"--json"});
  EXPECT_EQ(as_json.exit_code, 1);
  const json problem = json::parse(as_json.output);
  EXPECT_EQ(problem["type"], "/problems/upcaster-failed");
  ASSERT_EQ(problem["failures"].size(), 1u);
  EXPECT_EQ(problem["failures"][0]["stream"], "order-1");
  EXPECT_EQ(problem["failures"][0]["version"], 3);
}

TEST_F(UpcasterBesideServerTest, InstalledUpcastersAreListedAndShown) {
  EXPECT_EQ(cairn({"upcaster", "list"}).errors, "No upcaster is installed.\n");
  EXPECT_EQ(cairn({"upcaster", "show", "Order"}).exit_code, 1);
  ASSERT_EQ(deploy(kToCents).exit_code, 0);
  EXPECT_THAT(cairn({"upcaster", "list"}).output,
              MatchesRegex("TYPE   FROM  TO  REVISION  FINGERPRINT   INSTALLED\n"
                           "Order  1     2   1         [0-9a-f]{12}  20[^ ]+Z\n"));
  EXPECT_EQ(cairn({"upcaster", "show", "Order"}).output, kToCents);
  EXPECT_EQ(cairn({"upcaster", "show", "Order", "1"}).output, kToCents);
  EXPECT_EQ(cairn({"upcaster", "show", "Order", "2"}).exit_code, 1);
  EXPECT_EQ(json::parse(cairn({"upcaster", "show", "Order", "--json"}).output)["latestVersion"], 2);
  EXPECT_EQ(cairn({"upcaster", "show", "Nothing"}).exit_code, 1);
}

TEST_F(UpcasterBesideServerTest, AnUpcasterWithoutItsVersionsIsRefused) {
  const Finished no = deploy(upcaster("Order", 2, ""));
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors,
              AllOf(HasSubstr("There is no version 3 of Order;"), HasSubstr("(422 invalid-upcaster)")));
  const Finished unknown = deploy(upcaster("Nothing", 1, ""));
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("There is no event type Nothing:"));
}

TEST_F(UpcasterBesideServerTest, AnUpcasterOfAFolderIsDeployedToRegisteredVersions) {
  schemas_.put("Order/1-2.lua", kToCents);
  const Finished done = register_all();
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("1 → 2        installed\n"));
  EXPECT_EQ(orders()[1], json({{"id", "a"}, {"cents", 200}}));
  EXPECT_THAT(register_all().output, HasSubstr("1 → 2        unchanged\n"));

  schemas_.put("Order/1-2.lua", kPicky);
  const Finished no = register_all();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, AllOf(HasSubstr("1-2.lua: "), HasSubstr("(422 upcaster-failed)"),
                               HasSubstr("order-1  3        Order/1-2.lua:4: no total"),
                               HasSubstr("the upcaster fails on 1 of 3 events\n")));
  EXPECT_EQ(cairn({"upcaster", "show", "Order"}).output, kToCents);
}

class UpcasterWithSchemaTest : public UpcasterServerTest {
 protected:
  UpcasterWithSchemaTest() {
    schemas_.put("Order/1.avsc", order(kTotalInt));
    EXPECT_EQ(register_all().exit_code, 0);
    for (const int total : {1, 2, 0}) append(total);
    schemas_.put("Order/2.avsc", order(kCents));
  }
};

TEST_F(UpcasterWithSchemaTest, AnIncompatibleSchemaIsRegisteredWithItsUpcaster) {
  EXPECT_EQ(check_all().exit_code, 1);
  EXPECT_EQ(register_all().exit_code, 1);
  schemas_.put("Order/1-2.lua", kToCents);
  const Finished checked = check_all();
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("incompatible, but 1-2.lua brings events over"));
  EXPECT_THAT(installed(), IsEmpty());

  const Finished done = register_all();
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_THAT(done.output, AllOf(HasSubstr("registered\n"), HasSubstr("1 → 2        installed\n")));
  EXPECT_EQ(orders()[1], json({{"id", "a"}, {"cents", 200}}));
  EXPECT_EQ(installed().size(), 1u);
  EXPECT_THAT(check_all().output, HasSubstr("2 schemas: 2 unchanged"));
  EXPECT_EQ(register_all().exit_code, 0);
}

TEST_F(UpcasterWithSchemaTest, AWholeChainIsRegisteredAtOnce) {
  schemas_.put("Order/1-2.lua", kToCents);
  schemas_.put("Order/3.avsc", order(R"({"name":"price","type":"string"})"));
  schemas_.put("Order/2-3.lua",
               upcaster("Order", 2, "data.price = data.cents .. \" cents\"; data.cents = nil"));
  EXPECT_THAT(check_all().output, HasSubstr("3 schemas: 1 unchanged, 2 upcast"));
  const Finished done = register_all();
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_EQ(installed().size(), 2u);
  EXPECT_EQ(orders()[1], json({{"id", "a"}, {"price", "200 cents"}}));

  // Both at once again, with other words.
  schemas_.put("Order/1-2.lua", "-- changed\n" + kToCents);
  schemas_.put("Order/2-3.lua", upcaster("Order", 2, "data.price = \"ct \" .. data.cents; data.cents = nil"));
  EXPECT_EQ(register_all().exit_code, 0);
  EXPECT_EQ(orders()[1], json({{"id", "a"}, {"price", "ct 200"}}));
  EXPECT_EQ(installed()[1]["revision"], 2);
}

TEST_F(UpcasterWithSchemaTest, ASingleFileMayHaveAnUpcaster) {
  files_.put("up.lua", kToCents);
  const Finished done = cairn({"schema", "register", "Order", schemas_.path_of("Order/2.avsc"), "--upcaster",
                               files_.path_of("up.lua")});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_EQ(orders()[0], json({{"id", "a"}, {"cents", 100}}));
}

TEST_F(UpcasterWithSchemaTest, AFailingUpcasterPreventsTheRegistration) {
  schemas_.put("Order/1-2.lua", kPicky);
  const Finished no = register_all();
  EXPECT_EQ(no.exit_code, 1);
  EXPECT_THAT(no.errors, AllOf(HasSubstr("Order/2.avsc: "), HasSubstr("(422 42250)"),
                               HasSubstr("order-1  3        Order/1-2.lua:4: no total"),
                               HasSubstr("the upcaster fails on 1 of 3 events\n"),
                               HasSubstr("1 of 2 schemas are registered")));
  EXPECT_EQ(cairn({"schema", "show", "Order", "2"}).exit_code, 1);
  EXPECT_THAT(installed(), IsEmpty());
}

TEST_F(UpcasterWithSchemaTest, AnEventThatIsSplitIsShownPartByPart) {
  schemas_.put("Order/1-2.lua", upcaster("Order", 1, R"(if data.total == 2 then
      local half = {id = data.id, cents = 100}
      return {{type = "Order", data = half}, {type = "Order", data = half}}
    end
    data.cents = data.total * 100; data.total = nil)"));
  const Finished done = register_all();
  ASSERT_EQ(done.exit_code, 0) << done.output << done.errors;
  EXPECT_EQ(orders().size(), 4u);
  EXPECT_EQ(orders("stored").size(), 3u);
  ProcessOptions terminal;
  terminal.terminal_width = 120;
  const Finished table = run_cairn({"read", "order-1", "--url", server_.url()}, terminal);
  EXPECT_THAT(table.output,
              AllOf(HasSubstr("        1  20"), HasSubstr("      2.1  20"), HasSubstr("      2.2  20"),
                    HasSubstr("        3  20"), Not(HasSubstr("        2  20"))));
}

}  // namespace
}  // namespace cairn::test
