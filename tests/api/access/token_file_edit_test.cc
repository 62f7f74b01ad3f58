#include "api/access/token_file_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using api::Scope;
using api::Token;

class TokenFileEditTest : public ::testing::Test {
 protected:
  static Token token(const std::string& name) { return {name, sha256(name), {Scope::kRead}, std::nullopt}; }
  std::string content() const { return *read_file(path_); }
  unsigned rights() const {
    struct stat facts {};
    return ::stat(path_.c_str(), &facts) == 0 ? facts.st_mode & 0777 : 0;
  }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(folder_.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "tokens";
};

TEST_F(TokenFileEditTest, TheFirstTokenCreatesAFileForItsOwnerOnly) {
  ASSERT_THAT(api::add_token(path_, token("a")), succeeds());
  EXPECT_EQ(content(), api::token_line(token("a")) + "\n");
  EXPECT_EQ(rights(), 0600u);
  EXPECT_EQ(files(), 1u);
}

// `--tokens tokens`, relative to the current folder.
TEST_F(TokenFileEditTest, ABareNameIsInTheCurrentFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_THAT(api::add_token("tokens", token("a")), succeeds());
  EXPECT_THAT(api::add_token("tokens", token("b")), succeeds());
  EXPECT_THAT(api::remove_token("tokens", "a"), succeeds());
  std::filesystem::current_path(before);
  EXPECT_EQ(content(), api::token_line(token("b")) + "\n");
}

TEST_F(TokenFileEditTest, OtherLinesAndModeArePreserved) {
  const std::string before = "# ours\n\n" + api::token_line(token("a")) + "\r\n# last";
  ASSERT_THAT(write_file(path_, before), succeeds());
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  ASSERT_THAT(api::add_token(path_, token("b")), succeeds());
  EXPECT_EQ(content(), before + "\n" + api::token_line(token("b")) + "\n");
  ASSERT_THAT(api::remove_token(path_, "a"), succeeds());
  EXPECT_EQ(content(), "# ours\n\n# last\n" + api::token_line(token("b")) + "\n");
  EXPECT_EQ(rights(), 0640u);
}

TEST_F(TokenFileEditTest, ALastLineWithoutAnEndIsRemovedToo) {
  ASSERT_THAT(write_file(path_, "#\n" + api::token_line(token("a"))), succeeds());
  ASSERT_THAT(api::remove_token(path_, "a"), succeeds());
  EXPECT_EQ(content(), "#\n");
}

TEST_F(TokenFileEditTest, TakenAndUnknownNamesChangeNothing) {
  EXPECT_THAT(api::remove_token(path_, "a"), fails_with(Errc::kNotFound));
  ASSERT_THAT(api::add_token(path_, token("a")), succeeds());
  const std::string before = content();
  EXPECT_THAT(api::add_token(path_, token("a")), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(api::remove_token(path_, "b"), fails_with(Errc::kNotFound));
  EXPECT_EQ(content(), before);
}

TEST_F(TokenFileEditTest, AFileWithAnInvalidLineIsNotChanged) {
  ASSERT_THAT(write_file(path_, "nonsense\n"), succeeds());
  EXPECT_THAT(api::add_token(path_, token("a")), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(api::remove_token(path_, "a"), fails_with(Errc::kInvalidArgument));
  EXPECT_EQ(content(), "nonsense\n");
}

TEST_F(TokenFileEditTest, ASymbolicLinkIsPreserved) {
  ASSERT_THAT(write_file(folder_ / "real", ""), succeeds());
  std::filesystem::create_symlink("real", path_);
  ASSERT_THAT(api::add_token(path_, token("a")), succeeds());
  ASSERT_THAT(api::add_token(path_, token("b")), succeeds());
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(api::read_token_file(folder_ / "real")->size(), 2u);
}

TEST_F(TokenFileEditTest, ConcurrentChangesLoseNothing) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(
        [this, i] { EXPECT_THAT(api::add_token(path_, token("t" + std::to_string(i))), succeeds()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(api::read_token_file(path_)->size(), 8u);
}

}  // namespace
}  // namespace cairn::test
