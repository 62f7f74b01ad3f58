// The ids that the store makes: an event that is sent back under its id is recognised.

#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eventstore/base/file.h"
#include "eventstore/index/server_id.h"
#include "tests/support/child_process.h"
#include "tests/support/idempotency_fixture.h"
#include "tests/support/io_fault.h"

namespace cairn::test {
namespace {

class ServerIdsTest : public IdempotencyTest {
 protected:
  // full_event(1) without an id, and the same event as a reader gets it.
  NewEvent given() {
    append("cart-1", {"Before"});
    NewEvent event = full_event(1);
    event.id.reset();
    stored_ = expect_new(one(any(), {event}));
    halfway();
    append("cart-1", {"After"});
    settle();
    event.id = events_in("cart-1").at(1).id;
    return event;
  }
  // The key of the store's ids, which a client does not know.
  SipKey key() const {
    const auto json = nlohmann::json::parse(value_of(read_file(folder() / "cairn.json")));
    const std::string text = json.at("idKey");
    return {std::stoull(text.substr(16), nullptr, 16), std::stoull(text.substr(0, 16), nullptr, 16)};
  }

  AppendResult stored_;
};
CAIRN_FOR_EVERY_SETTLED(ServerIdsTest);

// A store that was exported and imported into itself had each event twice, under one id.
TEST_P(ServerIdsTest, AnEventThatIsSentBackIsRecognised) {
  const NewEvent event = given();
  for (auto mode : {any(), exists(), exactly(1)}) expect_repeat_of(stored_, one(mode, {event}));
  settle();
  expect_repeat_of(stored_, one(any(), {event}));
  expect_sound();
}

TEST_P(ServerIdsTest, AnotherEventWithTheIdIsRefused) {
  NewEvent event = given();
  const Uuid id = *event.id;
  expect_reused(one(any(), {event}, "cart-2"), id, "cart-1", 2);
  event.data = R"({"item":"pear"})";
  for (auto mode : {any(), exists(), exactly(1), exactly(3)})
    expect_reused(one(mode, {event}), id, "cart-1", 2);
}

TEST_P(ServerIdsTest, AreRecognisedForEver) {
  options().dedup_window_days = 1;
  const NewEvent event = given();
  for (int day = 0; day < 40; ++day) {
    clock().advance_days(1);
    append("daily-1", {"Noise"});
  }
  flush();
  settle();
  expect_repeat_of(stored_, one(any(), {event}));
}

TEST_P(ServerIdsTest, OfAnotherStoreAreIdsLikeAnyOther) {
  NewEvent event = given();
  event.id = server_id::make({1, 2}, clock().now(), {2});
  const auto first = expect_new(one(any(), {event}));
  expect_repeat_of(first, one(any(), {event}));
}

// A client cannot make the store read at a position that it does not have.
TEST_P(ServerIdsTest, APositionBehindTheHeadIsNoPosition) {
  NewEvent event = given();
  ASSERT_EQ(server_id::position_of(key(), *event.id), stored_.streams.at(0).first_position);
  for (const std::uint64_t position : {std::uint64_t{0}, head() + 2, (std::uint64_t{1} << 44) - 1}) {
    event.id = server_id::make(key(), clock().now(), {position});
    const auto first = expect_new(one(any(), {event}));
    expect_repeat_of(first, one(any(), {event}));
  }
}

// One id of 2^30 passes the check by chance: the event at its position decides.
TEST_P(ServerIdsTest, AnIdThatNamesThePositionOfAnotherEventIsAnIdLikeAnyOther) {
  NewEvent event = given();
  clock().advance_days(1);
  const GlobalPosition of_another = stored_.streams.at(0).first_position;
  event.id = server_id::make(key(), clock().now(), of_another);
  ASSERT_EQ(server_id::position_of(key(), *event.id), of_another);
  const auto first = expect_new(one(any(), {event}));
  settle();
  expect_repeat_of(first, one(any(), {event}));
}

TEST_P(ServerIdsTest, IncreaseWithThePosition) {
  given();
  append("cart-2", {"A", "B", "C"});
  const auto events = log();
  for (std::size_t i = 1; i < events.size(); ++i) EXPECT_LT(events[i - 1].id, events[i].id);
}

class IdKeyTest : public IdempotencyTest {
 protected:
  nlohmann::json identity() { return nlohmann::json::parse(value_of(read_file(folder() / "cairn.json"))); }
  void write(const nlohmann::json& json) { std::ofstream(folder() / "cairn.json") << json.dump(); }
};

// Stores of format 1 were made without a key.
TEST_F(IdKeyTest, IsAddedToAStoreThatHasNone) {
  append("cart-1", {"A"});
  close();
  const auto before = identity();
  auto without = before;
  without.erase("idKey");
  write(without);
  append("cart-1", {"B"});
  close();
  const auto after = identity();
  EXPECT_EQ(after.at("storeId"), before.at("storeId"));
  EXPECT_NE(after.at("idKey"), before.at("idKey"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "cairn.json.tmp"));

  NewEvent event = test::event("B");
  event.id = events_in("cart-1").at(1).id;
  EXPECT_TRUE(value_of(append_expecting("cart-1", ExpectedVersion::any(), {event})).already_applied);
  close();
  EXPECT_EQ(identity(), after) << "the key stays";
}

TEST_F(IdKeyTest, AStoreWithoutKeyOpensOnAFullDisk) {
  append("cart-1", {"A"});
  close();
  auto without = identity();
  without.erase("idKey");
  write(without);
  IoFaultPanel panel;
  panel.arm({.folder = folder(), .suffix = "/cairn.json.tmp", .at = 1, .forever = true, .error = ENOSPC});
  ChildProcess::Command command{{test_program("store_child").string(), folder().string()}, {}};
  panel.connect(command);
  ChildProcess child(command);
  EXPECT_EQ(child.ask("open"), "ok");
  EXPECT_GE(panel.fired(), 1u);
  EXPECT_EQ(identity(), without);
}

TEST_F(IdKeyTest, AKeyThatCannotBeReadIsDamage) {
  append("cart-1", {"A"});
  close();
  for (const nlohmann::json& key :
       {nlohmann::json(7), nlohmann::json("abc"), nlohmann::json(std::string(32, 'x'))}) {
    auto damaged = identity();
    damaged["idKey"] = key;
    write(damaged);
    EXPECT_THAT(try_open(), fails_with(Errc::kCorruption)) << key;
  }
}

}  // namespace
}  // namespace cairn::test
