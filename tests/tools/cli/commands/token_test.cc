#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/access/access_list.h"
#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using api::Scope;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

class TokenTest : public ::testing::Test {
 protected:
  Finished token(std::vector<std::string> words) const {
    words.insert(words.begin(), "token");
    words.insert(words.end(), {"--tokens", path_.string()});
    return run_cairn(words);
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "tokens.jsonl";
};

TEST_F(TokenTest, ACreatedTokenGrantsItsScopes) {
  const Finished created =
      token({"create", "ci", "--scope", "read", "--scope", "append", "--category", "order"});
  ASSERT_EQ(created.exit_code, 0) << created.errors;
  EXPECT_THAT(created.output, MatchesRegex("cairn_[-A-Za-z0-9_]+\n"));
  const std::string text = created.output.substr(0, created.output.size() - 1);
  EXPECT_THAT(created.errors, HasSubstr("CAIRN_TOKEN"));
  EXPECT_THAT(created.errors, Not(HasSubstr(text)));
  EXPECT_THAT(*read_file(path_), Not(HasSubstr(text)));

  const auto tokens = api::read_token_file(path_);
  ASSERT_THAT(tokens, succeeds());
  const api::AccessList access(*tokens);
  const api::Token* found = access.find("Bearer " + text);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "ci");
  EXPECT_TRUE(found->may(Scope::kRead) && found->may(Scope::kAppend) && !found->may(Scope::kAdmin));
  EXPECT_TRUE(found->may_touch("order") && !found->may_touch("cart"));
}

TEST_F(TokenTest, JsonPrintsOneObject) {
  const Finished created = token({"create", "ci", "--scope", "admin", "--json"});
  const auto json = nlohmann::json::parse(created.output);
  EXPECT_EQ(json["name"], "ci");
  EXPECT_EQ(json["scopes"], nlohmann::json({"admin"}));
  EXPECT_EQ(json["categories"], nullptr);
  EXPECT_THAT(json["token"].get<std::string>(), MatchesRegex("cairn_.*"));
}

TEST_F(TokenTest, TheListShowsNamesAndScopes) {
  token({"create", "ci", "--scope", "read", "--scope", "append"});
  token({"create", "shop-frontend", "--scope", "append", "--category", "order", "--category", "cart"});
  EXPECT_EQ(token({"list"}).output,
            "NAME           SCOPES        CATEGORIES\n"
            "ci             read, append  all\n"
            "shop-frontend  append        order, cart\n");
  const auto json = nlohmann::json::parse(token({"list", "--json"}).output);
  EXPECT_EQ(json["tokens"][1]["categories"], nlohmann::json({"order", "cart"}));
}

TEST_F(TokenTest, ARevokedTokenIsRemoved) {
  token({"create", "a", "--scope", "read"});
  token({"create", "--scope", "read", "b"});
  EXPECT_EQ(token({"revoke", "a"}).exit_code, 0);
  EXPECT_THAT(token({"list"}).output, Not(HasSubstr("a  ")));
  EXPECT_THAT(token({"list"}).output, HasSubstr("b  "));
  const Finished again = token({"revoke", "a"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.errors, HasSubstr("no token named 'a'"));
}

TEST_F(TokenTest, NamesAreUnique) {
  token({"create", "a", "--scope", "read"});
  const std::string before = *read_file(path_);
  const Finished again = token({"create", "a", "--scope", "append"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.errors, HasSubstr("'a' already"));
  EXPECT_THAT(again.output, IsEmpty());
  EXPECT_EQ(*read_file(path_), before);
}

TEST_F(TokenTest, WrongLinesAreReported) {
  ASSERT_THAT(write_file(path_, "# ok\n{}\n"), succeeds());
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"list"}, {"create", "a", "--scope", "read"}, {"revoke", "a"}}) {
    const Finished refused = token(command);
    EXPECT_EQ(refused.exit_code, 1) << command[0];
    EXPECT_THAT(refused.errors, HasSubstr(path_.string() + ":2: ")) << command[0];
  }
}

TEST_F(TokenTest, WrongUsageIsExitCodeTwo) {
  EXPECT_EQ(token({}).exit_code, 2);
  EXPECT_EQ(token({"create", "a"}).exit_code, 2);
  EXPECT_EQ(token({"create", "--scope", "read"}).exit_code, 2);
  EXPECT_EQ(token({"create", "a", "--scope", "write"}).exit_code, 2);
  EXPECT_EQ(token({"create", "a\nb", "--scope", "read"}).exit_code, 2);
  EXPECT_EQ(token({"create", "a", "--scope", "read", "--category", ""}).exit_code, 2);
  EXPECT_EQ(run_cairn({"token", "list"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace cairn::test
