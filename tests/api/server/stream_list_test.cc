// One stream, and the list of streams.

#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {
namespace {

class ServerStreamListTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    for (const char* stream :
         {"order-2", "order-10", "order-1", "orders-1", "cart-1", "order", "Zeta-1", "%C3%B6-1", "a%20b-1"}) {
      ASSERT_EQ(append(stream, {event_text("T")}).status, 201);
    }
    ASSERT_EQ(append("order-2", {event_text("T"), event_text("T")}).status, 201);
  }

  std::vector<std::string> names(const std::string& query, std::size_t limit = 100) {
    std::vector<std::string> seen;
    std::string after;
    for (int pages = 0; pages < 100; ++pages) {
      const Json page = get("/streams?limit=" + std::to_string(limit) + query + after).json();
      for (const Json& stream : page["streams"]) seen.push_back(stream["stream"]);
      EXPECT_LE(page["streams"].size(), limit);
      if (page["next"].is_null()) return seen;
      after = "&after=" + httplib::detail::encode_query_param(page["next"].get<std::string>());
    }
    ADD_FAILURE() << "next never became null";
    return seen;
  }
};

using Names = std::vector<std::string>;

TEST_F(ServerStreamListTest, NamesComeInByteOrder) {
  EXPECT_EQ(names(""), (Names{"Zeta-1", "a b-1", "cart-1", "order", "order-1", "order-10", "order-2",
                              "orders-1", "ö-1"}));
}

TEST_F(ServerStreamListTest, PagesOfAnySizeVisitEachStreamOnce) {
  const Names all = names("");
  for (std::size_t limit = 1; limit <= all.size() + 1; ++limit) EXPECT_EQ(names("", limit), all) << limit;
}

TEST_F(ServerStreamListTest, PrefixAndCategoryFilter) {
  for (std::size_t limit : {1u, 2u, 100u}) {
    EXPECT_EQ(names("&category=order", limit), (Names{"order", "order-1", "order-10", "order-2"}));
    EXPECT_EQ(names("&prefix=order", limit), (Names{"order", "order-1", "order-10", "order-2", "orders-1"}));
    EXPECT_EQ(names("&prefix=order-1", limit), (Names{"order-1", "order-10"}));
    EXPECT_EQ(names("&category=order&prefix=order-1", limit), (Names{"order-1", "order-10"}));
    EXPECT_EQ(names("&category=cart&prefix=order", limit), Names{});
    EXPECT_EQ(names("&category=nobody", limit), Names{});
    EXPECT_EQ(names("&prefix=%C3%B6", limit), (Names{"ö-1"}));
    EXPECT_EQ(names("&prefix=a+b", limit), (Names{"a b-1"})) << "a plus in a query is a space";
  }
}

TEST_F(ServerStreamListTest, AfterIsExclusiveAndNeedNotExist) {
  EXPECT_EQ(names("&after=order-1"), (Names{"order-10", "order-2", "orders-1", "ö-1"}));
  EXPECT_EQ(names("&after=order-11"), (Names{"order-2", "orders-1", "ö-1"}));
  EXPECT_EQ(names("&after=zzz"), (Names{"ö-1"}));
  EXPECT_EQ(names("&category=order&after=order-10"), (Names{"order-2"}));
}

TEST_F(ServerStreamListTest, AStreamHasItsVersionAndPosition) {
  const Json known = get("/streams/order-2").json();
  EXPECT_EQ(known["category"], "order");
  EXPECT_EQ(known["version"], 3);
  EXPECT_EQ(known["firstPosition"], 1);
  EXPECT_EQ(known["lastPosition"], 11);
  const Json events = get("/streams/order-2/events").json()["events"];
  EXPECT_EQ(known["createdAt"], events[0]["recordedAt"]);
  EXPECT_EQ(known["updatedAt"], events[2]["recordedAt"]);
  EXPECT_EQ(get("/streams?prefix=order-2").json()["streams"][0], known);
  restart();
  EXPECT_EQ(get("/streams/order-2").json(), known);
}

}  // namespace
}  // namespace cairn::test
