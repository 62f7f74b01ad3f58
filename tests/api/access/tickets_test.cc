#include "api/access/tickets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/matchers.h"

namespace cairn::api {
namespace {

using ::testing::MatchesRegex;
using namespace std::chrono_literals;

class TicketsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Token> token(const std::string& name) {
    return std::make_shared<const Token>(Token{.name = name, .scopes = {Scope::kRead}, .categories = {}});
  }
  std::string issue(const std::string& target = "/events") { return *tickets_.issue(reader_, target); }
  bool is_valid(const std::string& ticket, const std::string& target = "/events") {
    return tickets_.use(ticket, target).has_value();
  }

  std::chrono::steady_clock::time_point now_{1'000s};
  const std::shared_ptr<const Token> reader_ = token("reader");
  Tickets tickets_{{.all = 5, .per_token = 3}, [this] { return now_; }};
};

TEST_F(TicketsTest, ATicketStandsForItsTokenAndTarget) {
  const std::string ticket = issue("/events?category=order");
  const auto found = tickets_.use(ticket, "/events?category=order");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->token, reader_);
  EXPECT_FALSE(is_valid(ticket, "/events"));
  EXPECT_FALSE(is_valid(ticket, "/events?category=orders"));
  EXPECT_FALSE(is_valid(ticket + "x", "/events?category=order"));
  EXPECT_FALSE(is_valid(ticket.substr(0, ticket.size() - 1), "/events?category=order"));
  EXPECT_FALSE(is_valid("", "/events?category=order"));
}

TEST_F(TicketsTest, ATicketHas256RandomBitsAndNeedsNoEscapes) {
  std::set<std::string> seen;
  for (int i = 0; i < 3; ++i) {
    const std::string ticket = issue();
    EXPECT_THAT(ticket, MatchesRegex("ticket_[A-Za-z0-9_-]+"));
    EXPECT_EQ(ticket.size(), std::string("ticket_").size() + 43);
    EXPECT_TRUE(seen.insert(ticket).second);
  }
}

TEST_F(TicketsTest, AnUnusedTicketExpiresAfterAMinute) {
  const std::string used_in_time = issue();
  const std::string too_late = issue();
  now_ += 60s - 1ns;
  EXPECT_TRUE(is_valid(used_in_time));
  now_ += 1ns;
  EXPECT_FALSE(is_valid(too_late));
  EXPECT_EQ(tickets_.size(), 1u);
}

TEST_F(TicketsTest, ATicketInUseDoesNotExpireAndIsValidForAMinuteAfterItsLastUse) {
  const std::string ticket = issue();
  auto first = tickets_.use(ticket, "/events");
  now_ += 24h;
  auto second = tickets_.use(ticket, "/events");
  ASSERT_TRUE(first && second)
      << "EventSource reconnects before the server knows that the connection is lost";
  first.reset();
  now_ += 24h;
  EXPECT_TRUE(is_valid(ticket));
  second.reset();
  now_ += 60s - 1ns;
  EXPECT_TRUE(is_valid(ticket)) << "a reconnection in time";
  now_ += 60s;
  EXPECT_FALSE(is_valid(ticket));
  EXPECT_EQ(tickets_.size(), 0u);
}

TEST_F(TicketsTest, TheirNumberIsBoundedPerTokenAndInAll) {
  for (int i = 0; i < 3; ++i) issue();
  EXPECT_EQ(tickets_.issue(reader_, "/events").error(), Tickets::Refusal::kOverShare);
  const auto other = token("other");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(tickets_.issue(other, "/events").ok());
  EXPECT_EQ(tickets_.issue(other, "/events").error(), Tickets::Refusal::kFull);
  now_ += 60s;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(tickets_.issue(reader_, "/events").ok()) << "expired ones count no more";
}

TEST_F(TicketsTest, AFullTableRefusesNewTicketsAndKeepsTheOthers) {
  const std::string first = issue();
  for (int i = 0; i < 2; ++i) issue();
  EXPECT_FALSE(tickets_.issue(reader_, "/events").ok());
  EXPECT_TRUE(is_valid(first));
}

}  // namespace
}  // namespace cairn::api
