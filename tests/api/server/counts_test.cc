// GET /stats/counts: how many events each category, type or tag has.

#include <string>
#include <utility>
#include <vector>

#include "tests/api/server/access_fixture.h"

namespace cairn::test {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

Counts counts_in(const Json& page) {
  Counts counts;
  for (const Json& entry : page["counts"]) counts.emplace_back(entry["name"], entry["events"]);
  return counts;
}

// By following `next`.
Counts all_counts(ApiClient& client, const std::string& query) {
  Counts all;
  std::string after;
  for (int pages = 0; pages < 100; ++pages) {
    const HttpAnswer answer = client.get("/stats/counts?" + query + after);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const Json page = answer.json();
    const Counts some = counts_in(page);
    all.insert(all.end(), some.begin(), some.end());
    if (page["next"].is_null()) return all;
    after = "&after=" + httplib::detail::encode_query_param(page["next"].get<std::string>());
  }
  ADD_FAILURE() << "next never became null";
  return all;
}

class CountsTest : public ApiTest {
 protected:
  void SetUp() override {
    serve();
    ASSERT_EQ(append("order-1", {tagged_text("Placed", {"eu", "customer:7"}), tagged_text("Shipped", {"eu"})})
                  .status,
              201);
    ASSERT_EQ(append("order-2", {tagged_text("Placed", {"customer:8", "größe \"x\""})}).status, 201);
    ASSERT_EQ(append("orders-1", {tagged_text("Placed", Json::array())}).status, 201);
    ASSERT_EQ(post("/subjects/Named/versions", R"({"schema":"\"string\""})").status, 200);
  }
  Counts counts(const std::string& query) { return all_counts(client(), query); }
};

TEST_F(CountsTest, EachNameHasItsEvents) {
  EXPECT_EQ(counts("by=category"), (Counts{{"$schemas", 1}, {"order", 3}, {"orders", 1}}));
  EXPECT_EQ(counts(""), counts("by=category")) << "the default";
  EXPECT_EQ(counts("by=type&prefix=P"), (Counts{{"Placed", 3}}));
  EXPECT_EQ(counts("by=tag"), (Counts{{"customer:7", 1}, {"customer:8", 1}, {"eu", 2}, {"größe \"x\"", 1}}));
}

TEST_F(CountsTest, AnAnswerSaysWhatWasCountedUpToWhere) {
  EXPECT_EQ(get("/stats/counts?by=tag&prefix=eu").body,
            R"({"by":"tag","head":5,"counts":[{"name":"eu","events":2}],"next":null})");
  ASSERT_EQ(append("order-9", {tagged_text("Placed", {"eu"})}).status, 201);
  EXPECT_EQ(get("/stats/counts?by=tag&prefix=eu").body,
            R"({"by":"tag","head":6,"counts":[{"name":"eu","events":3}],"next":null})");
  restart();
  EXPECT_EQ(counts("by=tag&prefix=eu"), (Counts{{"eu", 3}}));
  EXPECT_EQ(counts("by=tag&prefix=none"), Counts{});
}

TEST_F(CountsTest, PagesOfAnySizeHaveEachNameOnce) {
  for (const std::string by : {"by=category", "by=type", "by=tag"}) {
    const Counts all = counts(by);
    for (std::size_t limit = 1; limit <= all.size() + 1; ++limit)
      EXPECT_EQ(counts(by + "&limit=" + std::to_string(limit)), all) << by << " " << limit;
  }
  EXPECT_EQ(counts("by=tag&prefix=customer&limit=1"), (Counts{{"customer:7", 1}, {"customer:8", 1}}));
  EXPECT_EQ(counts("by=tag&after=customer:7"), (Counts{{"customer:8", 1}, {"eu", 2}, {"größe \"x\"", 1}}));
  EXPECT_EQ(counts("by=tag&after=d"), (Counts{{"eu", 2}, {"größe \"x\"", 1}})) << "it need not exist";
  EXPECT_EQ(counts("by=tag&prefix=gr%C3%B6"), (Counts{{"größe \"x\"", 1}}));
}

TEST_F(CountsTest, InvalidParametersAreNamed) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"by=stream", "by"},      {"by=", "by"},
      {"by=tag&by=type", "by"}, {"by=Tag", "by"},
      {"limit=0", "limit"},     {"limit=10001", "limit"},
      {"limit=many", "limit"},  {"from=1", "from"},
      {"by=tag&x=1", "x"},      {"prefix=a&prefix=b", "prefix"}};
  for (const auto& [query, field] : wrong) {
    SCOPED_TRACE(query);
    EXPECT_EQ(problem(get("/stats/counts?" + query), 400, "invalid-request").value("field", ""), field);
  }
  EXPECT_EQ(get("/stats/counts?limit=10000").status, 200);
  problem(post("/stats/counts", "{}"), 405, "method-not-allowed");
}

constexpr const char* kTwo = "cairn_twotwotwotwotwotwotwotwotwotwotwotwotwot0";

using CountsWithTokensTest = AccessTest;

TEST_F(CountsWithTokensTest, ATokenSeesItsOwnCategoriesOnly) {
  std::filesystem::remove(tokens_path());
  write_tokens(line("both", kBoth, R"(["read","append"])") + line("writer", kWriter, R"(["append"])") +
               line("two", kTwo, R"(["read"])", R"(,"categories":["order","cart","order-x","secre"])"));
  serve_with_tokens();
  for (const char* stream : {"order-1", "order-2", "orders-1", "cart-1", "secret-1", "cartesian-1"})
    ASSERT_EQ(append(stream, {tagged_text("T", {"x"})}).status, 201);
  ApiClient two = as(kTwo);
  EXPECT_EQ(all_counts(two, "by=category"), (Counts{{"cart", 1}, {"order", 2}}));
  EXPECT_EQ(all_counts(two, "by=category&limit=1"), (Counts{{"cart", 1}, {"order", 2}}));
  EXPECT_EQ(all_counts(two, "prefix=o"), (Counts{{"order", 2}}));
  EXPECT_EQ(all_counts(two, "prefix=secret"), Counts{});
  EXPECT_EQ(all_counts(two, "after=cart"), (Counts{{"order", 2}}));
  EXPECT_EQ(two.get("/stats/counts").json()["head"], 6);
  for (const char* by : {"type", "tag"})
    expect_forbidden(two.get("/stats/counts?by=" + std::string(by)), "categor");
  EXPECT_EQ(all_counts(client(), "by=category").size(), 5u);
  EXPECT_EQ(all_counts(client(), "by=tag"), (Counts{{"x", 6}}));
  expect_forbidden(as(kWriter).get("/stats/counts"), "read");
  expect_unauthorized(nobody().get("/stats/counts"));
}

}  // namespace
}  // namespace cairn::test
