#include "api/access/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using api::parse_tokens;
using api::Scope;
using api::Token;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHash(64, 'a');

std::string line(const std::string& fields) { return "{" + fields + "}\n"; }

std::string named(const std::string& name, char digit) {
  return line(R"("name":")" + name + R"(","sha256":")" + std::string(64, digit) + R"(","scopes":["read"])");
}

// The message of the error; "" for a success.
std::string refusal(const std::string& text) {
  const auto tokens = parse_tokens(text, "tokens.txt");
  if (tokens.ok()) return "";
  EXPECT_EQ(tokens.error().code, Errc::kInvalidArgument);
  return tokens.error().message;
}

TEST(TokenFileTest, TokensAreParsedAndCommentsSkipped) {
  const auto tokens = parse_tokens("# who may do what\n\n" +
                                       line(R"("name":"ci","sha256":")" + kHash +
                                            R"(","scopes":["read","append"],"categories":["order","cart"])") +
                                       "\r\n" + R"({"scopes":["admin"],"name":"boss","sha256":")" +
                                       std::string(64, 'B') + "\"}\r\n",
                                   "tokens.txt");
  ASSERT_THAT(tokens, succeeds());
  ASSERT_EQ(tokens->size(), 2u);
  const Token& ci = (*tokens)[0];
  EXPECT_EQ(ci.name, "ci");
  EXPECT_EQ(to_hex(ci.sha256), kHash);
  EXPECT_EQ(ci.scopes, (std::vector{Scope::kRead, Scope::kAppend}));
  EXPECT_EQ(ci.categories, (std::vector<std::string>{"order", "cart"}));
  EXPECT_EQ((*tokens)[1].categories, std::nullopt);
  EXPECT_EQ(to_hex((*tokens)[1].sha256), std::string(64, 'b'));
}

TEST(TokenFileTest, AnEmptyFileHasNoTokens) {
  ASSERT_THAT(parse_tokens("", "t"), succeeds());
  EXPECT_TRUE(parse_tokens("# only words\n", "t")->empty());
}

TEST(TokenFileTest, ALineIsParsedToTheTokenItWasMadeFrom) {
  const Token token{"päul \"x\"", sha256("secret"), {Scope::kAdmin, Scope::kRead}, {{"order"}}};
  const auto tokens = parse_tokens(api::token_line(token), "t");
  ASSERT_THAT(tokens, succeeds());
  EXPECT_EQ(*tokens, std::vector{token});
}

TEST(TokenFileTest, InvalidLinesAreNamed) {
  const std::string good = named("a", '1');
  const std::string hash = R"("sha256":")" + kHash + "\"";
  const std::pair<std::string, std::string> cases[] = {
      {"nonsense", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":["read"],"role":1)"), "unknown field \"role\""},
      {line(R"("name":"b",)" + hash), "\"scopes\" is missing"},
      {line(R"("name":"b","scopes":["read"])"), "\"sha256\" is missing"},
      {line(hash + R"(,"scopes":["read"])"), "\"name\" is missing"},
      {line(R"("name":"",)" + hash + R"(,"scopes":["read"])"), "name must be"},
      {line(R"("name":"b\n",)" + hash + R"(,"scopes":["read"])"), "name must be"},
      {line(R"("name":"b","sha256":"abc","scopes":["read"])"), "64 hexadecimal digits"},
      {line(R"("name":"b","sha256":")" + std::string(64, 'g') + R"(","scopes":["read"])"), "64 hexadecimal"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":["write"])"), "unknown scope \"write\""},
      {line(R"("name":"b",)" + hash + R"(,"scopes":[])"), "at least one"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":"read")"), "at least one"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":["read"],"categories":[])"), "leave the field out"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":["read"],"categories":null)"), "leave the field out"},
      {line(R"("name":"b",)" + hash + R"(,"scopes":["read"],"categories":["x"],"categories":["y"])"),
       "a field twice"},
      {named("a", '2'), "\"a\" occurs twice"},
      {named("b", '1'), "same hash as \"a\""},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_THAT(refusal(good + "#\n" + text), HasSubstr("tokens.txt:3: ")) << text;
    EXPECT_THAT(refusal(good + "#\n" + text), HasSubstr(reason)) << text;
  }
}

TEST(TokenFileTest, ATokenInPlaceOfItsHashIsNotInTheMessage) {
  EXPECT_THAT(refusal(R"({"name":"b","sha256":"cairn_secret","scopes":["read"]})"), Not(HasSubstr("secret")));
}

TEST(TokenFileTest, ScopesDoNotIncludeEachOther) {
  const Token token{"a", {}, {Scope::kAdmin}, std::nullopt};
  EXPECT_TRUE(token.may(Scope::kAdmin));
  EXPECT_FALSE(token.may(Scope::kRead));
  EXPECT_FALSE(token.may(Scope::kAppend));
}

TEST(TokenFileTest, CategoriesRestrictATokenToTheirStreams) {
  EXPECT_TRUE((Token{"a", {}, {}, std::nullopt}.may_touch("order")));
  EXPECT_TRUE((Token{"a", {}, {}, {{"cart", "order"}}}.may_touch("order")));
  EXPECT_FALSE((Token{"a", {}, {}, {{"cart"}}}.may_touch("order")));
  EXPECT_FALSE((Token{"a", {}, {}, {{"cart"}}}.may_touch("car")));
}

TEST(TokenFileTest, FilesAreReadAndTheirModeChecked) {
  const TempFolder folder;
  const auto path = folder / "tokens";
  EXPECT_THAT(api::read_token_file(path), fails_with(Errc::kNotFound));
  EXPECT_FALSE(api::is_open_to_others(path));
  ASSERT_THAT(write_file(path, named("a", '1')), succeeds());
  EXPECT_EQ(api::read_token_file(path)->at(0).name, "a");
  EXPECT_FALSE(api::is_open_to_others(path));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_TRUE(api::is_open_to_others(path));
  ASSERT_THAT(write_file(path, "x"), succeeds());
  EXPECT_THAT(api::read_token_file(path).error().message, HasSubstr(path.string() + ":1: "));
}

}  // namespace
}  // namespace cairn::test
