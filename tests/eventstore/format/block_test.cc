#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/base/checksum.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/format/block_reader.h"
#include "tests/support/matchers.h"

namespace cairn {
namespace {

using test::fails_with;
using test::succeeds;

// The worked examples of docs/format.md: two events of two streams in one block.
class BlockTest : public testing::TestWithParam<LogFormat> {
 protected:
  BlockTest() {
    StoredEvent placed{.event = {.position = {7},
                                 .version = {1},
                                 .stream = streams_[0],
                                 .type = types_[0],
                                 .id = *Uuid::parse("0191e4a0-0000-7000-8000-000000000001"),
                                 .schema = {0},
                                 .recorded_at = kRecorded,
                                 .data = R"({"total":12})",
                                 .metadata = R"({"correlationId":"c-1"})",
                                 .tags = tags_}};
    StoredEvent shipped{.event = {.position = {8},
                                  .version = {3},
                                  .stream = streams_[1],
                                  .type = types_[1],
                                  .id = *Uuid::parse("0191e4a0-0000-7000-8000-000000000002"),
                                  .schema = {5},
                                  .recorded_at = kRecorded,
                                  .data = "",
                                  .metadata = "",
                                  .tags = {}},
                        .previous = 6,
                        .jump = 0,
                        .store_made_id = true};
    events_ = {{0, 0, placed}, {1, 1, shipped}};
  }

  std::span<const std::byte> build() {
    return builder_.build({.format = GetParam(),
                           .first_position = {7},
                           .epoch = 2,
                           .recorded_at = kRecorded,
                           .previous_hash = sha256("before"),
                           .streams = streams_,
                           .types = types_,
                           .events = events_,
                           .notes = notes_,
                           .number = GetParam() == LogFormat::k1 ? 0u : 1u,
                           .durable = {{6}, 1}});
  }

  static constexpr Timestamp kRecorded{1'725'000'000'000'000};
  std::vector<std::string_view> streams_{"order-1", "order-2"};
  std::vector<std::string_view> types_{"OrderPlaced", "OrderShipped"};
  std::vector<std::string_view> tags_{"customer:7"};
  std::vector<BlockContents::Event> events_;
  std::vector<Note> notes_;
  BlockBuilder builder_;
  BlockReader reader_;
};

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 16) {
    const auto line = bytes.subspan(i, std::min<std::size_t>(16, bytes.size() - i));
    text += to_hex({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()}) + "\n";
  }
  return text;
}

// If these bytes change, old stores cannot be read, and the format needs a new version.
constexpr std::string_view kGolden1 = R"(43524e42010000000700000000000000
020000002e0000000200000000000000
00d03cdce02006006db7d803e74f1ffa
7d8f5adc0bf95b3e15bf4c8373fffadf
546227cc6c6742cb00107aa966bf6632
000000002d0000000000000000000300
09000000160000001500000016000000
29000000b70000000500000042000000
05000000420000006f726465722d3100
6f726465722d32000500000062000000
090000006a0000004f72646572506c61
63656400000000004f72646572536869
70706564000000000800000008000300
00000000000000000100000000000000
00000000000000000000000000000000
00700000a0e491010100000000000080
a490141d1cd8f98f0000000000000000
350000006200000039000000ba000000
410000000e0000000100000001000000
03000000000000000600000000000000
000000000000000000700000a0e49101
02000000000000801e4375277899c934
05000000010000000000000000000000
00000000000000000000000000000000
7b22746f74616c223a31327d00000000
7b22636f7272656c6174696f6e496422
3a22632d31227d00010000005a000000
637573746f6d65723a37000000000000
)";

constexpr std::string_view kGolden2 = R"(43524e42020000000700000000000000
02000000300000000200000000000000
00d03cdce02006006db7d803e74f1ffa
7d8f5adc0bf95b3e15bf4c8373fffadf
546227cc6c6742cb6e30abc30f5d665e
01000000000000000600000000000000
0100000000000000000000002f000000
00000000000005001100000016000000
1d0000001600000031000000b7000000
00000000000000000000000000000000
05000000420000000500000042000000
6f726465722d31006f726465722d3200
0500000062000000090000006a000000
4f72646572506c616365640000000000
4f726465725368697070656400000000
08000000080003000000000000000000
01000000000000000000000000000000
000000000000000000700000a0e49101
01000000000000807c328c3e49c618ef
00000000000000003500000062000000
39000000ba000000410000000e000000
01000000010000000300000000000000
06000000000000000000000000000000
00700000a0e491010200000000000080
b330117a1080147f0500000001000000
00000000000000000000000000000000
00000000000000007b22746f74616c22
3a31327d000000007b22636f7272656c
6174696f6e4964223a22632d31227d00
010000005a000000637573746f6d6572
3a37000000000000
)";

TEST_P(BlockTest, MatchesTheGoldenBytes) {
  EXPECT_EQ(hex_of(build()), GetParam() == LogFormat::k1 ? kGolden1 : kGolden2);
}

TEST_P(BlockTest, ReadsBackWhatWasWritten) {
  ASSERT_THAT(reader_.open(build(), BlockCheck::kWholeBlock), succeeds());
  EXPECT_EQ(reader_.header().first_position.value, 7u);
  EXPECT_EQ(reader_.header().last_position().value, 8u);
  EXPECT_EQ(reader_.header().epoch, 2u);
  EXPECT_EQ(reader_.header().previous_hash, sha256("before"));

  const auto first = reader_.read({7});
  ASSERT_THAT(first, succeeds());
  EXPECT_EQ(first->event.stream, "order-1");
  EXPECT_EQ(first->event.type, "OrderPlaced");
  EXPECT_EQ(first->event.data, R"({"total":12})");
  EXPECT_EQ(first->event.metadata, R"({"correlationId":"c-1"})");
  EXPECT_EQ(first->event.recorded_at, kRecorded);
  EXPECT_EQ(first->event.id.to_string(), "0191e4a0-0000-7000-8000-000000000001");
  ASSERT_EQ(first->event.tags.size(), 1u);
  EXPECT_EQ(first->event.tags[0], "customer:7");
  EXPECT_FALSE(first->store_made_id);

  const auto second = reader_.read({8});
  ASSERT_THAT(second, succeeds());
  EXPECT_EQ(second->event.version.value, 3u);
  EXPECT_EQ(second->event.schema.value, 5u);
  EXPECT_EQ(second->previous, 6u);
  EXPECT_EQ(second->event.data, "");
  EXPECT_TRUE(second->event.tags.empty());
  EXPECT_TRUE(second->store_made_id);
}

TEST_P(BlockTest, ReadsFromUnalignedBytes) {
  const auto block = build();
  std::vector<std::byte> shifted(block.size() + 1);
  std::memcpy(shifted.data() + 1, block.data(), block.size());
  ASSERT_THAT(reader_.open(std::span(shifted).subspan(1), BlockCheck::kEachEvent), succeeds());
  EXPECT_EQ(reader_.read({8})->event.stream, "order-2");
}

TEST_P(BlockTest, TheBuilderKeepsNothingOfThePreviousBlock) {
  const std::string once = hex_of(build());
  const std::string large(100'000, 'x');
  events_[0].stored.event.data = large;
  build();
  events_[0].stored.event.data = R"({"total":12})";
  EXPECT_EQ(hex_of(build()), once);
}

// The block's checksum detects every flipped bit. The events' checksums detect every one that changes an
// event.
TEST_P(BlockTest, EveryFlippedBitIsDetected) {
  const auto block = build();
  std::vector<std::byte> damaged(block.begin(), block.end());
  const auto original = [&](BlockReader& reader, std::uint64_t position) {
    return event_checksum(*reader.read({position}), GetParam());
  };
  BlockReader undamaged;
  ASSERT_THAT(undamaged.open(block, BlockCheck::kWholeBlock), succeeds());
  const std::uint64_t sums[2] = {original(undamaged, 7), original(undamaged, 8)};

  for (std::size_t bit = 0; bit < damaged.size() * 8; ++bit) {
    const auto mask = static_cast<std::byte>(1u << (bit % 8));
    damaged[bit / 8] ^= mask;
    EXPECT_THAT(reader_.open(damaged, BlockCheck::kWholeBlock), fails_with(Errc::kCorruption))
        << "bit " << bit;
    if (reader_.open(damaged, BlockCheck::kEachEvent).ok()) {
      for (std::uint64_t position = 7; position <= 8; ++position) {
        if (!reader_.contains({position})) continue;
        const auto stored = reader_.read({position});
        if (stored.ok()) {
          EXPECT_EQ(event_checksum(*stored, GetParam()), sums[position - 7]) << "bit " << bit;
        }
      }
    }
    damaged[bit / 8] ^= mask;
  }
}

// Without the block's checksum a pointer can have any value. The reader stays inside the block, which the
// address sanitizer checks, and returns no event that was not written.
TEST_P(BlockTest, RandomWordsNeverCauseReadsOutsideTheBlock) {
  const auto block = build();
  BlockReader undamaged;
  ASSERT_THAT(undamaged.open(block, BlockCheck::kWholeBlock), succeeds());
  const std::uint64_t sums[2] = {event_checksum(*undamaged.read({7}), GetParam()),
                                 event_checksum(*undamaged.read({8}), GetParam())};
  for (std::size_t at = BlockHeader::bytes_of(GetParam()); at < block.size(); at += 8) {
    for (const std::uint64_t nonsense :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, 0xFFFFFFFF'00000001u,
          0x0000000A'7FFFFFFDu, 0xFFFFFFFA'00000001u, 0x0000000F'80000001u, 0xFFFFFFFF'FFFFFFFCu,
          0x00000007'00000001u, 0x00000002'00000001u, 0x00000006'00000001u}) {
      std::vector<std::byte> damaged(block.begin(), block.end());
      std::memcpy(damaged.data() + at, &nonsense, sizeof nonsense);
      if (!reader_.open(damaged, BlockCheck::kEachEvent).ok()) continue;
      for (std::uint64_t position = 7; position <= 8; ++position) {
        const auto stored = reader_.read({position});
        if (stored.ok()) {
          EXPECT_EQ(event_checksum(*stored, GetParam()), sums[position - 7]) << at << ": " << nonsense;
        }
      }
    }
  }
}

TEST_P(BlockTest, EveryTruncationIsDetected) {
  const auto block = build();
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_THAT(reader_.open(block.first(size), BlockCheck::kWholeBlock), fails_with(Errc::kCorruption))
        << size;
    EXPECT_THAT(reader_.open(block.first(size), BlockCheck::kEachEvent), fails_with(Errc::kCorruption))
        << size;
  }
}

std::string format_name(const testing::TestParamInfo<LogFormat>& info) {
  return "Format" + std::to_string(static_cast<int>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Formats, BlockTest, testing::Values(LogFormat::k1, LogFormat::k2), format_name);

// What blocks of format 2 may have beside events of format 1.
class NewerBlockTest : public BlockTest {
 protected:
  // Gives the event of order-2 parts.
  void set_parts(std::vector<EventPart> parts) {
    parts_ = std::move(parts);
    events_[1].stored.parts = parts_;
  }

  std::vector<EventPart> parts_;
};

TEST_P(NewerBlockTest, AnEventMayHaveOpaqueData) {
  using namespace std::string_literals;
  const std::string bytes = "\x00\xff{\x80"s;
  events_[1].stored.event.data = bytes;
  set_parts({{EventPart::kContentType, "image/png"}});
  for (const BlockCheck check : {BlockCheck::kWholeBlock, BlockCheck::kEachEvent}) {
    ASSERT_THAT(reader_.open(build(), check), succeeds());
    const auto opaque = reader_.read({8});
    ASSERT_THAT(opaque, succeeds());
    EXPECT_EQ(opaque->event.content_type, "image/png");
    EXPECT_EQ(opaque->event.data, bytes);
    EXPECT_FALSE(opaque->event.sealed);
    EXPECT_TRUE(opaque->store_made_id);
    EXPECT_FALSE(reader_.read({7})->event.is_opaque());
  }
}

TEST_P(NewerBlockTest, AReaderPassesOverPartsThatItDoesNotKnow) {
  set_parts(
      {{EventPart::kContentType, "text/csv"}, {EventPart::kSealed, "secret"}, {77, "of a newer program"}});
  ASSERT_THAT(reader_.open(build(), BlockCheck::kEachEvent), succeeds());
  const auto event = reader_.read({8});
  ASSERT_THAT(event, succeeds());
  EXPECT_EQ(event->event.content_type, "text/csv");
  EXPECT_TRUE(event->event.sealed);
  EXPECT_EQ(event->parts.size(), 3u);
  EXPECT_FALSE(reader_.read({7})->event.sealed);
}

TEST_P(NewerBlockTest, AnEventWithAPartThatMustBeKnownIsRefusedAndTheOthersAreNot) {
  set_parts({{EventPart::kRequired | 77, "of a newer program"}});
  ASSERT_THAT(reader_.open(build(), BlockCheck::kWholeBlock), succeeds());
  const auto refused = reader_.read({8});
  ASSERT_THAT(refused, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(refused.error().message, testing::HasSubstr("part of kind 77"));
  EXPECT_EQ(refused.error().position, 8u);
  EXPECT_THAT(reader_.read({7}), succeeds());
}

TEST_P(NewerBlockTest, TheChecksumOfAnEventCoversItsPartsAndTheNumberOfItsTags) {
  set_parts({{EventPart::kContentType, "text/csv"}});
  std::vector<std::byte> damaged;
  const auto flip_in = [&](std::string_view text) {
    const auto block = build();
    damaged.assign(block.begin(), block.end());
    const std::string_view bytes(reinterpret_cast<const char*>(damaged.data()), damaged.size());
    damaged[bytes.find(text)] ^= std::byte{1};
    return reader_.open(damaged, BlockCheck::kEachEvent);
  };
  ASSERT_THAT(flip_in("text/csv"), succeeds());
  EXPECT_THAT(reader_.read({8}), fails_with(Errc::kCorruption));
  ASSERT_THAT(flip_in("customer:7"), succeeds());
  EXPECT_THAT(reader_.read({7}), fails_with(Errc::kCorruption));

  StoredEvent one = events_[0].stored, none = one;
  const std::vector<std::string_view> empty_tag{""};
  one.event.tags = empty_tag;
  none.event.tags = {};
  EXPECT_NE(event_checksum(one, LogFormat::k2), event_checksum(none, LogFormat::k2));
}

TEST_P(NewerBlockTest, ABlockMayHaveNotesWithEventsAndWithout) {
  notes_ = {{Note::kOpening, true, ""}, {99, false, "of a newer program"}};
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(reader_.open(build(), BlockCheck::kWholeBlock), succeeds());
    ASSERT_EQ(reader_.notes().size(), 2u);
    EXPECT_EQ(reader_.notes()[0].kind, Note::kOpening);
    EXPECT_TRUE(reader_.notes()[0].required);
    EXPECT_EQ(reader_.notes()[1].bytes, "of a newer program");
    EXPECT_EQ(reader_.header().has_events(), round == 0);
    events_.clear();
    streams_.clear();
    types_.clear();
  }
  const BlockHeader& header = reader_.header();
  EXPECT_FALSE(reader_.contains({7}));
  EXPECT_EQ(header.first_position.value, 7u);
  EXPECT_EQ(header.end(), (LogPlace{{6}, 1}));
  EXPECT_EQ(header.durable, (LogPlace{{6}, 1}));
  EXPECT_TRUE(header.follows({{6}, 0}));
  EXPECT_FALSE(header.follows({{6}, 1}));
  EXPECT_FALSE(header.follows({{5}, 0}));
}

TEST_P(NewerBlockTest, ABlockOfEventsNamesTheBlocksOfNotesBeforeIt) {
  ASSERT_THAT(reader_.open(build(), BlockCheck::kWholeBlock), succeeds());
  EXPECT_TRUE(reader_.header().follows({{6}, 1}));
  EXPECT_FALSE(reader_.header().follows({{6}, 0})) << "a block of notes is missing";
  EXPECT_EQ(reader_.header().end(), (LogPlace{{8}, 0}));
}

TEST_P(NewerBlockTest, ABlockWithANoteThatMustBeKnownIsRefused) {
  notes_ = {{99, true, "of a newer program"}};
  for (const BlockCheck check : {BlockCheck::kWholeBlock, BlockCheck::kEachEvent}) {
    const Status refused = reader_.open(build(), check);
    ASSERT_THAT(refused, fails_with(Errc::kFailedPrecondition));
    EXPECT_THAT(refused.error().message, testing::HasSubstr("note of kind 99"));
    EXPECT_FALSE(reader_.is_open());
  }
}

TEST_P(NewerBlockTest, ANewerFormatIsRefusedWithBothNumbers) {
  const auto block = build();
  std::vector<std::byte> newer(block.begin(), block.end());
  newer[4] = std::byte{3};
  const Status refused = reader_.open(newer, BlockCheck::kWholeBlock);
  ASSERT_THAT(refused, fails_with(Errc::kCorruption));
  EXPECT_THAT(refused.error().message, testing::HasSubstr("format 3, this program reads formats 1 to 2"));
}

INSTANTIATE_TEST_SUITE_P(Formats, NewerBlockTest, testing::Values(LogFormat::k2), format_name);

}  // namespace
}  // namespace cairn
