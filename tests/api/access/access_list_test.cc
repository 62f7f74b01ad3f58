#include "api/access/access_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/access/new_token.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using api::AccessList;
using api::Token;
using ::testing::MatchesRegex;

// The tokens "alpha" and "beta", with the same names.
class AccessListTest : public ::testing::Test {
 protected:
  static Token token(const std::string& name) { return {name, sha256(name), {api::Scope::kRead}, {}}; }

  std::string found(std::string_view authorization) const {
    const Token* token = list_.find(authorization);
    return token == nullptr ? "" : token->name;
  }

  AccessList list_{{token("alpha"), token("beta")}};
};

TEST_F(AccessListTest, BearerTokensAreFound) {
  EXPECT_EQ(found("Bearer alpha"), "alpha");
  EXPECT_EQ(found("bearer   beta "), "beta");
  EXPECT_EQ(found("BEARER beta"), "beta");
}

TEST_F(AccessListTest, BasicPasswordsAreFound) {
  EXPECT_EQ(found("Basic dXNlcjphbHBoYQ=="), "alpha");  // user:alpha
  EXPECT_EQ(found("basic OmJldGE="), "beta");           // :beta
  EXPECT_EQ(found("Basic dXNlcjpiZXRh"), "beta");       // user:beta
}

TEST_F(AccessListTest, OtherAuthorizationsMatchNoToken) {
  for (const char* authorization :
       {"", "Bearer", "Bearer ", "alpha", "Bearer alph", "Bearer alphaa", "Bearer Alpha", "Bearer alpha beta",
        "Bearer\talpha", "Digest alpha", "Basic", "Basic ", "Basic alpha", "Basic YWxwaGE=",
        "Basic dXNlcjphbHBoYQ", "Basic dXNlcjphbHBoYQ===", "Basic dXNlcjphbHBo\nYQ==", "Basic ===="}) {
    EXPECT_EQ(found(authorization), "") << authorization;
  }
  EXPECT_EQ(AccessList({}).find("Bearer alpha"), nullptr);
}

TEST(NewTokenTest, TokensAreLongAndUnique) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto token = api::new_token();
    ASSERT_THAT(token, succeeds());
    EXPECT_THAT(*token, MatchesRegex("cairn_[-A-Za-z0-9_]+"));
    EXPECT_EQ(token->size(), 6u + 43u);
    seen.insert(*token);
  }
  EXPECT_EQ(seen.size(), 100u);
}

}  // namespace
}  // namespace cairn::test
