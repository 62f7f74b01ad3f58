// A log of format 1 goes on in format 2, and a program that does not know a format refuses the folder.

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/format/block_header.h"
#include "eventstore/store_copy.h"
#include "tests/support/child_process.h"
#include "tests/support/log_blocks.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LogFormatTest : public StoreTest {
 protected:
  void open_with(LogFormat format) {
    close();
    options().log_format = format;
    open();
  }

  nlohmann::json identity_of(const std::filesystem::path& data) {
    return nlohmann::json::parse(value_of(read_file(data / "cairn.json")));
  }
  int identity_format() { return identity_of(folder())["format"]; }

  std::uint32_t journal_format() { return load_le<std::uint32_t>(value_of(read_file(journal())).data() + 4); }

  static std::vector<std::uint32_t> block_formats(const std::filesystem::path& data) {
    std::vector<std::uint32_t> formats;
    for (const std::string& block : value_of(blocks_in(data)))
      formats.push_back(load_le<std::uint32_t>(block.data() + 4));
    return formats;
  }

  std::filesystem::path journal() const { return folder() / "log" / "journal"; }
};

TEST_F(LogFormatTest, ANewStoreHasTheNewestFormat) {
  open_with(kNewestLogFormat);
  append("a-1", {"A"});
  close();
  EXPECT_EQ(identity_format(), 2);
  EXPECT_EQ(journal_format(), 2u);
  EXPECT_THAT(block_formats(folder()), ElementsAre(2));
}

TEST_F(LogFormatTest, ALogOfFormat1GoesOnInFormat2FromTheNextBlock) {
  open_with(LogFormat::k1);
  append("a-1", {"A", "B"});
  append("b-1", {"C"});
  const std::vector<Event> before = log();
  const auto identity = identity_of(folder());
  open_with(LogFormat::k2);
  EXPECT_EQ(log(), before);
  EXPECT_EQ(identity_format(), 1) << "a store that is only read can still be opened by an older program";
  EXPECT_EQ(journal_format(), 1u);

  EXPECT_THAT(append_expecting("a-1", 99, {event("X")}), fails_with(Errc::kVersionConflict));
  EXPECT_THAT(submit({check("a-1", ExpectedVersion::exactly(2))}), succeeds());
  EXPECT_EQ(identity_format(), 1) << "nothing was written";

  append("a-1", {"D"});
  EXPECT_EQ(identity_format(), 2);
  EXPECT_EQ(journal_format(), 2u);
  EXPECT_EQ(identity_of(folder())["storeId"], identity["storeId"]);
  EXPECT_EQ(identity_of(folder())["idKey"], identity["idKey"]);
  const std::vector<Event> after = log();
  ASSERT_EQ(after.size(), 4u);
  EXPECT_EQ(after[3].version, 3u);
  EXPECT_EQ(std::vector<Event>(after.begin(), after.begin() + 3), before);

  open_with(LogFormat::k1);  // does not go back
  append("a-1", {"E"});
  EXPECT_EQ(types_in("a-1"), (std::vector<std::string>{"A", "B", "D", "E"}));
  expect_sound();
  EXPECT_THAT(block_formats(folder()), ElementsAre(1, 1, 2, 2));
}

TEST_F(LogFormatTest, WithoutTheChangedIdentityNothingIsWritten) {
  open_with(LogFormat::k1);
  append("a-1", {"A"});
  open_with(LogFormat::k2);
  const std::filesystem::path in_the_way = folder() / "cairn.json.tmp";
  std::filesystem::create_directory(in_the_way);
  EXPECT_FALSE(submit({to("a-1", ExpectedVersion::any(), {event("B")})}).ok());
  EXPECT_EQ(head(), 1u);
  EXPECT_EQ(identity_format(), 1);
  std::filesystem::remove(in_the_way);
  append("a-1", {"B"});
  EXPECT_EQ(identity_format(), 2);
  expect_sound();
  EXPECT_THAT(block_formats(folder()), ElementsAre(1, 2));
}

TEST_F(LogFormatTest, ANewerFormatIsRefusedWithBothNumbers) {
  open_with(LogFormat::k2);
  append("a-1", {"A"});
  close();
  const std::string identity = value_of(read_file(folder() / "cairn.json"));
  auto newer = nlohmann::json::parse(identity);
  newer["format"] = 3;
  std::ofstream(folder() / "cairn.json") << newer.dump();
  const auto refused = try_open();
  ASSERT_THAT(refused, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(refused.error().message, HasSubstr("is of format 3; this program reads formats 1 to 2"));

  std::ofstream(folder() / "cairn.json") << identity;
  std::string header = value_of(read_file(journal())).substr(0, 16);
  header[4] = 3;
  const std::uint64_t sum = checksum64(header.data(), header.size());
  header.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  std::fstream(journal(), std::ios::in | std::ios::out | std::ios::binary) << header;
  const auto journal_refused = try_open();
  ASSERT_THAT(journal_refused, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(journal_refused.error().message,
              HasSubstr("has blocks of format 3; this program reads formats 1 to 2"));
}

TEST_F(LogFormatTest, ABackupHasTheFormatOfItsBlocks) {
  TempFolder other;
  open_with(LogFormat::k1);
  append("a-1", {"A"});
  close();
  ASSERT_THAT(copy_store(folder(), other / "first", {}), succeeds());
  open_with(LogFormat::k2);
  append("a-1", {"B"});
  close();
  ASSERT_THAT(copy_store(folder(), other / "second", {}), succeeds());
  EXPECT_EQ(identity_of(other / "first")["format"], 1);
  EXPECT_EQ(identity_of(other / "second")["format"], 2);
  EXPECT_THAT(block_formats(other / "second"), ElementsAre(1, 2));

  for (const char* const copy : {"first", "second"}) {
    auto opened = EventStore::open(other / copy, options());
    ASSERT_THAT(opened, succeeds());
    ASSERT_THAT((*opened)->append(request({to("c-1", ExpectedVersion::any(), {event("C")})})), succeeds());
    opened->reset();
    EXPECT_TRUE(verify_store(other / copy)->sound());
    EXPECT_EQ(identity_of(other / copy)["format"], 2);
  }
}

TEST_F(LogFormatTest, AFollowerGoesOnFromFormat1ToFormat2) {
  open_with(LogFormat::k1);
  append("a-1", {"A"});
  close();
  auto beside = LogReader::open_beside(folder(), {.log_map_bytes = 64u << 20});
  ASSERT_THAT(beside, succeeds());
  // A process that has a store open cannot follow it.
  ChildProcess writer(
      {{test_program("store_child").string(), folder().string()}, {{"CAIRN_TEST_LOG_FORMATS", "2"}}});
  ASSERT_EQ(writer.ask("open"), "ok");
  ASSERT_TRUE(writer.ask("append a-1 any 2 1 10").starts_with("ok"));
  ASSERT_TRUE((*beside)->wait_for({2}, std::chrono::seconds(100)));
  EXPECT_EQ("ok " + (*beside)->head_hash(), writer.ask("hash"));
  writer.close_input();
  EXPECT_TRUE(writer.wait().clean());
  EXPECT_EQ(identity_format(), 2);
}

TEST_F(LogFormatTest, OpaqueEventsComeBackAsTheyWere) {
  using namespace std::string_literals;
  open_with(LogFormat::k2);
  NewEvent image = event(id(1), "Scanned");
  image.data = "\x00\xff\n\x80"s;
  image.content_type = "image/png";
  image.tags = {"scan"};
  append("a-1", {image, event("Placed")});
  const auto again = submit({to("a-1", ExpectedVersion::any(), {image})});
  ASSERT_THAT(again, succeeds());
  EXPECT_TRUE(again->already_applied);
  for (int round = 0; round < 3; ++round) {
    const std::vector<Event> events = events_in("a-1");
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].data, image.data);
    EXPECT_EQ(events[0].content_type, "image/png");
    EXPECT_EQ(events[0].tags, image.tags);
    EXPECT_EQ(events[1].content_type, "");
    if (round == 0) flush();
    if (round == 1) reopen();
  }
  NewEvent other = image;
  other.id = id(2);
  other.content_type = "";
  other.schema = {};
  append("b-1", {other});
  other.content_type = "image/png";
  EXPECT_THAT(submit({to("b-1", ExpectedVersion::any(), {other})}), fails_with(Errc::kEventIdReused))
      << "the same bytes of another content type are another event";
  expect_sound();
}

TEST_F(LogFormatTest, OpaqueEventsHaveAShortContentTypeAndNoSchema) {
  NewEvent image = event("Scanned");
  image.content_type = std::string(201, 'x');
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {image})}), fails_with(Errc::kInvalidArgument));
  image.content_type = "a\nb";
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {image})}), fails_with(Errc::kInvalidArgument));
  image.content_type = "image/png";
  image.schema = {3};
  EXPECT_THAT(submit({to("a-1", ExpectedVersion::any(), {image})}), fails_with(Errc::kInvalidArgument));
  EXPECT_EQ(head(), 0u);
}

}  // namespace
}  // namespace cairn::test
