// tests/fixtures/format-2: a data folder that began with format 1 and went on in format 2. Its README says
// what is in it.

#include <filesystem>
#include <string>

#include "tests/support/log_blocks.h"
#include "tests/tools/fixture_store.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class Format2Test : public FixtureStoreTest {
 protected:
  Format2Test() : FixtureStoreTest("format-2") {}
};

TEST_F(Format2Test, TheFixtureIsSmall) { expect_small(); }

TEST_F(Format2Test, IsSoundWithItsJournal) {
  expect_sound("24");
  const auto blocks = blocks_in(data());
  ASSERT_TRUE(blocks.ok());
  EXPECT_EQ(blocks->size(), 25u);
}

TEST_F(Format2Test, AnswersWhatItAnswered) {
  serve();
  expect_the_same_events();
  stop();
  expect_sound("24");
}

TEST_F(Format2Test, TakesAppendsAndKnowsItsIds) {
  serve();
  EXPECT_THAT(cairn({"append", "label-1", "--type", "LabelPrinted", "--data", "1", "--expect", "3"}),
              HasSubstr("position 25"));
  const std::string file = data() + "/bytes";
  std::ofstream(file, std::ios::binary) << std::string("\0\377bytes\n", 8);
  // The id is in the journal only, and is recognised: nothing is stored a second time.
  EXPECT_THAT(cairn({"append", "label-1", "--type", "LabelPrinted", "--data", "@" + file, "--content-type",
                     "image/png", "--id", "019a9a00-0000-7000-8000-000000000002"}),
              HasSubstr("already applied, as version 3"));
  std::filesystem::remove(file);
  stop();
  expect_sound("25");
}

TEST_F(Format2Test, ItsIndexIsBuiltAgain) {
  std::filesystem::remove_all(std::filesystem::path(data()) / "index");
  serve();
  expect_the_same_events();
  stop();
  expect_sound("24");
}

}  // namespace
}  // namespace cairn::test
