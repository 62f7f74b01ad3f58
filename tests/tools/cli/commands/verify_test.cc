#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "eventstore/event_store.h"
#include "schemaregistry/registry/registry_event.h"
#include "tests/support/cairn_process.h"
#include "tests/support/events.h"
#include "tests/support/manual_clock.h"
#include "tests/support/matchers.h"
#include "tests/support/store_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/tools/said.h"
#include "upcasters/definitions/upcaster_event.h"

namespace cairn::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VerifyTest : public ::testing::Test {
 protected:
  // A closed store of three streams and five events.
  void make_store() {
    auto store = EventStore::open(folder(), small_store());
    ASSERT_THAT(store, succeeds());
    append(**store, "order-1", {event("Placed", R"({"note":"first of all"})"), event("Paid")});
    append(**store, "order-2", {event("Placed", R"({"note":"needle in the log"})"), event("Paid")});
    append(**store, "cart-1", {event("Filled")});
    head_hash_ = (*store)->head_hash();
  }

  static void append(EventStore& store, std::string stream, std::vector<NewEvent> events) {
    EXPECT_THAT(store.append(request({to(std::move(stream), ExpectedVersion::any(), std::move(events))})),
                succeeds());
  }

  // Changes one byte in every copy of the stored text: LMDB keeps older copies of a page.
  void damage(const std::string& text) {
    const auto path = folder() / "log" / "data.mdb";
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    auto at = bytes.find(text);
    ASSERT_NE(at, std::string::npos);
    file.clear();
    for (; at != std::string::npos; at = bytes.find(text, at + 1)) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put('#');
    }
    ASSERT_TRUE(file.flush().good());
  }

  Finished verify(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"verify", "--data", folder().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cairn(arguments);
  }

  const std::filesystem::path& folder() const { return folder_.path(); }

  TempFolder folder_;
  std::string head_hash_;
};

TEST_F(VerifyTest, SoundStoreIsDescribed) {
  make_store();
  const Finished verified = verify();
  EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, HasSubstr("is sound."));
  EXPECT_THAT(verified.output, ContainsRegex("blocks +3 "));
  EXPECT_THAT(verified.output, ContainsRegex("events +5 "));
  EXPECT_THAT(verified.output, ContainsRegex("streams +3 "));
  EXPECT_THAT(verified.output, ContainsRegex("index records +[1-9]"));
  EXPECT_THAT(verified.output, ContainsRegex("head +5\n"));
  EXPECT_THAT(verified.output, HasSubstr(head_hash_));
  EXPECT_THAT(verified.errors, IsEmpty()) << "no progress bar where nobody watches";
  EXPECT_THAT(verified.output, Not(HasSubstr("\033"))) << "no colour either";
}

TEST_F(VerifyTest, AFolderOfAnotherUserIsNamed) {
  if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root can become another user";
  make_store();
  std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
  const TempFolder open;
  std::filesystem::permissions(open.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file(std::filesystem::path(CAIRN_TEST_BIN_DIR) / "cairn", open / "cairn");
  const Said refused = said_by({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                (open / "cairn").string(), "verify", "--data", folder().string()});
  EXPECT_EQ(refused.exit.code, 1);
  EXPECT_THAT(refused.text,
              HasSubstr(folder().string() + "/cairn.json: Permission denied; run the command as "
                                            "the user that the folder belongs to"));
  EXPECT_THAT(refused.text, Not(HasSubstr("unexpected")));
}

TEST_F(VerifyTest, JsonHasTheSameFacts) {
  make_store();
  const Finished verified = verify({"--json"});
  EXPECT_EQ(verified.exit_code, 0);
  const auto report = nlohmann::json::parse(verified.output);
  EXPECT_EQ(report["sound"], true);
  EXPECT_EQ(report["blocks"], 3);
  EXPECT_EQ(report["events"], 5);
  EXPECT_EQ(report["streams"], 3);
  EXPECT_EQ(report["head"], 5);
  EXPECT_EQ(report["headHash"], head_hash_);
  EXPECT_EQ(report["damageCount"], 0);
  EXPECT_THAT(report["findings"], IsEmpty());
}

TEST_F(VerifyTest, IdsThatOccurTwiceAreListed) {
  make_store();
  EXPECT_THAT(verify({"--ids"}).output, ContainsRegex("repeated ids +0 "));
  {
    StoreOptions options = small_store();
    options.dedup_window_days = 1;
    ManualClock clock;
    options.clock = clock.function();
    clock.set(system_time());
    auto store = EventStore::open(folder(), options);
    ASSERT_THAT(store, succeeds());
    append(**store, "twice-1", {event(id(7), "A")});
    for (int day = 0; day < 4; ++day) {
      clock.advance_days(1);
      append(**store, "daily-1", {event("Noise")});
    }
    append(**store, "twice-1", {event(id(7), "A")});
  }
  const Finished verified = verify({"--ids"});
  EXPECT_EQ(verified.exit_code, 0) << "it is no damage";
  EXPECT_THAT(verified.output, ContainsRegex("repeated ids +1 "));
  EXPECT_THAT(verified.output, HasSubstr(id(7).to_string() + "  positions 6 11\n"));
  const auto report = nlohmann::json::parse(verify({"--ids", "--json"}).output);
  EXPECT_EQ(report["repeatedIdCount"], 1);
  EXPECT_EQ(report["repeatedIds"],
            nlohmann::json::parse(R"([{"id":")" + id(7).to_string() + R"(","positions":[6,11]}])"));
}

TEST_F(VerifyTest, DamageIsShownWithItsPlace) {
  make_store();
  damage("needle in the log");
  const Finished verified = verify();
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.output, HasSubstr("is damaged."));
  EXPECT_THAT(verified.output, ContainsRegex("first damage: log.* 3[^0-9]"))
      << "the second block begins at position 3";
}

TEST_F(VerifyTest, DamageIsCountedInJson) {
  make_store();
  damage("needle in the log");
  damage("first of all");
  const Finished verified = verify({"--json"});
  EXPECT_EQ(verified.exit_code, 1);
  const auto report = nlohmann::json::parse(verified.output);
  EXPECT_EQ(report["sound"], false);
  EXPECT_GE(report["damageCount"], 2);
  ASSERT_THAT(report["findings"], Not(IsEmpty()));
  EXPECT_FALSE(report["findings"][0]["place"].get<std::string>().empty());
  EXPECT_FALSE(report["findings"][0]["what"].get<std::string>().empty());
}

TEST_F(VerifyTest, FolderWithoutAStoreIsNamed) {
  const Finished verified = verify();
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.errors, HasSubstr(folder().string()));
  EXPECT_THAT(verified.output, IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(folder())) << "verifying makes no store";

  const Finished in_json = verify({"--json"});
  EXPECT_EQ(in_json.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(in_json.output)["sound"], false);
}

// What version 0.1 wrote when a start withdrew an upcaster.
TEST_F(VerifyTest, AVersionThatWasDeletedAlthoughEventsAreStoredWithItIsNamed) {
  {
    auto store = EventStore::open(folder(), small_store());
    ASSERT_THAT(store, succeeds());
    const auto system = [&](std::string_view stream, NewEvent one) {
      AppendRequest made = request({to(std::string(stream), ExpectedVersion::any(), {std::move(one)})});
      made.origin = Origin::kSystem;
      ASSERT_THAT((*store)->append(std::move(made)), succeeds());
    };
    UpcasterInstalled installed;
    installed.upcaster.header = {"Order", 1, 2, {}};
    installed.upcaster.fingerprint = "abc";
    installed.upcaster.to_schema = {7};
    installed.upcaster.with_schema = true;
    system(kSchemaStream, to_new_event(SchemaRegistered{"Order", 2, {7}, R"("long")", {}}));
    system(kDefinitionStream, to_new_event(installed));
    NewEvent order = event("Order");
    order.schema = {7};
    append(**store, "order-1", {order, order});
    system(kDefinitionStream, event("UpcasterWithdrawn",
                                    R"({"type":"Order","from":1,"fingerprint":"abc","reason":"it failed"})"));
    system(kSchemaStream, to_new_event(VersionDeleted{"Order", 2}));
    EXPECT_THAT(verify().output, Not(HasSubstr("was deleted")));  // it is still there
    system(kSchemaStream, to_new_event(VersionPermanentlyDeleted{"Order", 2}));
  }
  const Finished text = verify();
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output,
              HasSubstr("Version 2 of Order (schema 7) was deleted by version 0.1 of cairn, although "
                        "2 events are stored with it,\nfrom position 3 on."));
  const auto json = nlohmann::json::parse(verify({"--json"}).output);
  EXPECT_EQ(json["lostVersions"], nlohmann::json::parse(R"([{"type":"Order","version":2,"schema":7,"events":2,
                                                            "firstPosition":3}])"));
}

}  // namespace
}  // namespace cairn::test
