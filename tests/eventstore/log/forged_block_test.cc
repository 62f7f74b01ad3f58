// The journal is overwritten again and again, so pages of old blocks remain between newer ones. Data that a
// client put into such a page must not be recovered as a block, or the store would not open again.

#include <cstring>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "eventstore/format/block_header.h"
#include "eventstore/log/block_copy.h"
#include "eventstore/log/journal.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

constexpr std::size_t kPageBytes = BlockCopy::kPageBytes;
constexpr std::size_t kDataBytes = 2 * kPageBytes;

// A valid block whose position is far beyond the end of the log.
std::string forged_block() {
  constexpr std::size_t kWords = 4;
  std::vector<std::byte> bytes(BlockHeader::bytes_of(kNewestLogFormat) + kWords * 8);
  BlockHeader header;
  header.first_position = {1'000'000};
  header.event_count = 1;
  header.message_words = kWords;
  header.write_to(bytes.data());
  header.checksum = block_checksum(bytes);
  header.write_to(bytes.data());
  EXPECT_FALSE(Journal::sound_block(bytes).empty());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class ForgedBlockTest : public StoreTest {
 protected:
  std::filesystem::path journal_file() { return folder() / "log" / "journal"; }

  // The offset in its journal page at which the data of an event begins that is alone in its block.
  std::size_t offset_of_data() {
    std::string probe(kDataBytes, '.');
    probe.replace(0, 6, "marker");
    append_data(probe);
    const auto journal = read_file(journal_file());
    EXPECT_THAT(journal, succeeds());
    const std::size_t at = journal->find("marker");
    EXPECT_NE(at, std::string::npos);
    return at % kPageBytes;
  }

  void append_data(const std::string& data) {
    NewEvent one = event("Placed");
    one.data = data;
    ASSERT_THAT(submit({{.stream = "order-1", .events = {std::move(one)}}}), succeeds());
  }
};

TEST_F(ForgedBlockTest, ALeftoverPageOfEventDataIsNotRecoveredAsABlock) {
  const std::size_t offset = offset_of_data();
  std::string data(kDataBytes, '.');
  const std::string forged = forged_block();
  data.replace(kPageBytes - offset, forged.size(), forged);
  append_data(data);
  // Small blocks overwrite its first page, and the whole journal more than once.
  for (int i = 0; i < 40; ++i) {
    append_data("{}");
    const auto journal = Journal::open(journal_file(), Journal::Access::kReadOnly);
    ASSERT_THAT(journal, succeeds());
    ASSERT_THAT((*journal)->blocks_after({store().head()}), succeeds())
        << "after " << i + 1 << " small blocks";
  }
  reopen();
  EXPECT_EQ(store().head().value, 42u);
  EXPECT_THAT(verify_store(folder()), succeeds());
}

}  // namespace
}  // namespace cairn::test
