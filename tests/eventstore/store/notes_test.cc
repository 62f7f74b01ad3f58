// Notes: facts that are durable with the events of their block, or in a block without events.

#include <array>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/format/block_reader.h"
#include "eventstore/lmdb/lmdb_env.h"
#include "eventstore/log_reader.h"
#include "eventstore/store_copy.h"
#include "tests/support/child_process.h"
#include "tests/support/log_blocks.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kKind = 4'711;

Note note(std::string bytes) { return {.kind = kKind, .required = false, .bytes = std::move(bytes)}; }

AppendRequest with_notes(std::vector<StreamAppend> streams, std::vector<Note> notes) {
  AppendRequest append = request(std::move(streams));
  append.origin = Origin::kSystem;
  append.notes = std::move(notes);
  return append;
}

// Everything in the log of a folder, in order: "note BYTES" and "event POSITION".
std::vector<std::string> contents_of(const std::filesystem::path& folder) {
  std::vector<std::string> contents;
  const auto blocks = blocks_in(folder);
  EXPECT_THAT(blocks, succeeds());
  if (!blocks.ok()) return contents;
  for (const std::string& bytes : *blocks) {
    BlockReader block;
    EXPECT_THAT(block.open(std::as_bytes(std::span(bytes)), BlockCheck::kWholeBlock), succeeds());
    for (const auto& each : block.notes()) contents.push_back("note " + std::string(each.bytes));
    for (std::uint64_t p = block.header().first_position.value; block.contains({p}); ++p)
      contents.push_back("event " + std::to_string(p));
  }
  return contents;
}

class NotesTest : public StoreTest {
 protected:
  NotesTest() { options().log_format = LogFormat::k2; }

  void write_note(const std::string& bytes) {
    const auto written = submit(with_notes({}, {note(bytes)}));
    ASSERT_THAT(written, succeeds());
    EXPECT_TRUE(written->streams.empty());
  }
};

TEST_F(NotesTest, ANoteIsInTheBlockOfItsEvents) {
  ASSERT_THAT(submit(with_notes({to("a-1", ExpectedVersion::any(), {event("A"), event("B")})}, {note("x")})),
              succeeds());
  EXPECT_THAT(positions_of(log()), ElementsAre(1, 2));
  expect_sound();
  EXPECT_EQ(blocks_in(folder())->size(), 1u);
  EXPECT_THAT(contents_of(folder()), ElementsAre("note x", "event 1", "event 2"));
}

TEST_F(NotesTest, NotesWithoutEventsHaveNoPositions) {
  write_note("before");
  write_note("before too");
  append("a-1", {"A"});
  write_note("between");
  append("a-1", {"B"});
  write_note("behind");
  EXPECT_EQ(head(), 2u);
  EXPECT_THAT(positions_of(log()), ElementsAre(1, 2));
  EXPECT_THAT(positions_of(log({}, Direction::kBackward)), ElementsAre(2, 1));
  EXPECT_EQ(types_in("a-1"), (std::vector<std::string>{"A", "B"}));
  const std::string hash = store().head_hash();
  reopen();
  EXPECT_EQ(store().head_hash(), hash);
  append("a-1", {"C"});
  EXPECT_THAT(positions_of(log({{"a"}, {}})), ElementsAre(1, 2, 3));
  expect_sound();
  EXPECT_THAT(contents_of(folder()), ElementsAre("note before", "note before too", "event 1", "note between",
                                                 "event 2", "note behind", "event 3"));
}

TEST_F(NotesTest, OnlyTheProgramWritesNotes) {
  AppendRequest append = with_notes({to("a-1", ExpectedVersion::any(), {event("A")})}, {note("x")});
  append.origin = Origin::kUser;
  EXPECT_THAT(submit(append), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(submit(with_notes({}, {})), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(submit(with_notes({}, {note(std::string((1u << 20) + 1, 'x'))})), fails_with(Errc::kTooLarge));
  EXPECT_EQ(head(), 0u);
}

TEST_F(NotesTest, ARefusedRequestAndARepeatWriteNoNote) {
  const AppendRequest first =
      with_notes({to("a-1", ExpectedVersion::any(), {event(id(1), "A")})}, {note("x")});
  ASSERT_THAT(submit(first), succeeds());
  const auto repeated = submit(first);
  ASSERT_THAT(repeated, succeeds());
  EXPECT_TRUE(repeated->already_applied);
  EXPECT_THAT(submit(with_notes({to("a-1", ExpectedVersion::exactly(7), {event("B")})}, {note("y")})),
              fails_with(Errc::kVersionConflict));
  close();
  EXPECT_THAT(contents_of(folder()), ElementsAre("note x", "event 1"));
}

TEST_F(NotesTest, ALostIndexIsBuiltAgainFromALogWithNotes) {
  write_note("first");
  append("a-1", {"A"});
  flush();
  write_note("last");
  close();
  std::filesystem::remove_all(folder() / "index");
  EXPECT_EQ(types_in("a-1"), std::vector<std::string>{"A"});
  expect_sound();
}

TEST_F(NotesTest, AMissingBlockOfNotesIsNoticed) {
  append("a-1", {"A"});
  for (const char* bytes : {"1", "2", "3"}) write_note(bytes);
  append("a-1", {"B"});
  close();
  auto env = lmdb::Env::open(folder() / "log", {});
  ASSERT_THAT(env, succeeds());
  {
    MDB_dbi table = 0;
    const std::array<lmdb::TableHandle, 1> tables{{{nullptr, &table}}};
    ASSERT_THAT((*env)->open_tables(tables), succeeds());
    auto txn = (*env)->begin_write();
    ASSERT_THAT(txn, succeeds());
    std::string key(16, '\0');
    key[7] = 1;
    key[15] = 2;
    MDB_val key_val = lmdb::to_val(key);
    ASSERT_EQ(mdb_del(txn->get(), table, &key_val, nullptr), 0);
    ASSERT_EQ(txn->commit(), 0);
  }
  env->reset();
  const auto report = verify_store(folder());
  ASSERT_THAT(report, succeeds());
  ASSERT_FALSE(report->sound());
  EXPECT_THAT(report->findings[0].what, HasSubstr("is number 3 behind position 1, and number 2 is missing"));
}

TEST_F(NotesTest, ABlockWithANoteThatMustBeKnownIsRefused) {
  append("a-1", {"A"});
  const Note unknown{.kind = kKind, .required = true, .bytes = "x"};
  ASSERT_THAT(submit(with_notes({to("a-1", ExpectedVersion::any(), {event("B")})}, {unknown})), succeeds());
  close();
  const auto refuses = [](const auto& result) {
    ASSERT_THAT(result, fails_with(Errc::kFailedPrecondition));
    EXPECT_THAT(result.error().message, HasSubstr("4711"));
  };
  refuses(try_open());
  refuses(verify_store(folder()));
  TempFolder other;
  refuses(copy_store(folder(), other / "copy", {}));
  refuses(LogReader::open_beside(folder(), {.log_map_bytes = 64u << 20}));
}

TEST_F(NotesTest, ABackupHasTheNotes) {
  TempFolder other;
  write_note("first");
  append("a-1", {"A"});
  write_note("second");
  const std::string hash = store().head_hash();
  close();
  const auto copied = copy_store(folder(), other / "copy", {});
  ASSERT_THAT(copied, succeeds());
  EXPECT_EQ(copied->head_hash, hash);
  EXPECT_THAT(contents_of(other / "copy"), ElementsAre("note first", "event 1", "note second"));
}

// A process that has a store open cannot follow it, so the writer is another one. It is killed, so that its
// last blocks are in the journal.
TEST_F(NotesTest, AFollowerGoesThroughNotes) {
  ChildProcess writer(
      {{test_program("store_child").string(), folder().string()}, {{"CAIRN_TEST_LOG_FORMATS", "2"}}});
  const auto tell = [&writer](const std::string& line) {
    const std::string answer = writer.ask(line);
    EXPECT_TRUE(answer.starts_with("ok")) << line << " -> " << answer;
    return answer;
  };
  tell("open");
  tell("note 3");
  tell("append a-1 any 1 1 10");
  auto beside = LogReader::open_beside(folder(), {.log_map_bytes = 64u << 20});
  ASSERT_THAT(beside, succeeds());
  std::uint64_t position = 1;
  Random random("NotesTest.AFollowerGoesThroughNotes");
  for (int round = 0; round < 100; ++round) {
    tell("note " + std::to_string(random.below(4'000)));
    if (random.one_in(2)) tell("append a-1 any " + std::to_string(++position) + " 1 10");
  }
  tell("append a-1 any " + std::to_string(++position) + " 1 10");
  ASSERT_TRUE((*beside)->wait_for({position}, std::chrono::seconds(100)));
  EXPECT_EQ("ok " + (*beside)->head_hash(), tell("hash"));
  tell("note 5");
  const std::string hash = tell("hash");
  writer.kill(SIGKILL);
  static_cast<void>(writer.wait());
  while ("ok " + (*beside)->head_hash() != hash) std::this_thread::yield();
  beside->reset();
  EXPECT_EQ(head(), position);
  EXPECT_EQ("ok " + store().head_hash(), hash);
  expect_sound();
}

// Appends with and without events in turns, at a journal so small that its halves are written many times,
// with flushes and reopenings. In the end the log has everything in order.
TEST_F(NotesTest, ARandomMixOfBlocksIsKeptInOrder) {
  Random random("NotesTest");
  options().journal_bytes = 32u << 10;
  std::vector<std::string> expected;
  std::map<std::string, std::uint64_t> versions;
  std::uint64_t position = 0;
  const std::size_t count = rounds(600, 20'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string bytes = std::to_string(i) + std::string(random.below(200), '.');
    std::vector<StreamAppend> streams;
    const bool has_note = random.one_in(2);
    if (has_note) expected.push_back("note " + bytes);
    if (!has_note || random.one_in(4)) {
      const std::string stream = "s-" + std::to_string(random.below(5));
      streams.push_back(to(stream, ExpectedVersion::exactly(versions[stream]++),
                           {sized_event(random.one_in(20) ? 9'000 : random.below(500))}));
      expected.push_back("event " + std::to_string(++position));
    }
    ASSERT_THAT(submit(with_notes(streams, has_note ? std::vector<Note>{note(bytes)} : std::vector<Note>{})),
                succeeds());
    if (random.one_in(50)) flush();
    if (random.one_in(100)) reopen();
  }
  EXPECT_EQ(head(), position);
  expect_sound();
  EXPECT_EQ(contents_of(folder()), expected);
}

}  // namespace
}  // namespace cairn::test
