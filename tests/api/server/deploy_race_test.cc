// Deployments that race appends, in a server that is killed again and again. Whatever was accepted, every
// stored event can be read in each shape that its type has.

#include <atomic>
#include <thread>

#include "tests/api/server/upcaster_fixture.h"
#include "tests/support/random.h"

namespace cairn::test {
namespace {

using ::testing::IsEmpty;

constexpr int kVersionsMax = 6;
constexpr int kAppenders = 4;

// Version v of the type Item has the fields n and f<v>, so that no version can read another one.
std::string item_schema(int version) {
  return R"({"type":"record","name":"Item","fields":[{"name":"n","type":"long"},{"name":"f)" +
         std::to_string(version) + R"(","type":"string"}]})";
}

std::string item(int version, std::uint64_t n, bool names_version) {
  return std::string(R"({"type":"Item",)") +
         (names_version ? R"("schemaVersion":)" + std::to_string(version) + "," : "") + R"("data":{"n":)" +
         std::to_string(n) + R"(,"f)" + std::to_string(version) + R"(":"x"}})";
}

// An upcaster that fails on items with this number.
std::string refusing(int from, std::uint64_t n) {
  const auto to = std::to_string(from + 1);
  return upcaster_text("if data.n == " + std::to_string(n) + " then error('odd') end return {n = data.n, f" +
                           to + " = data.f" + std::to_string(from) + "}",
                       "Item", from, from + 1);
}

class DeployRaceTest : public UpcasterApiTest {
 protected:
  // Appends items of all versions; some have the number that the deployment of the moment refuses.
  void append_items(std::uint64_t seed, int me) {
    Random random(seed);
    ApiClient client = new_client();
    while (!stop_) {
      const int versions = versions_;
      const int version = static_cast<int>(random.between(1, static_cast<std::uint64_t>(versions)));
      const bool named = version < versions || random.one_in(2);
      const std::uint64_t n = random.one_in(12) ? odd_.load() : 0;
      const std::string stream =
          (named ? "v" + std::to_string(version) : "newest") + "-" + std::to_string(me);
      const HttpAnswer answer = random.one_in(4)
                                    ? client.append_all({entry_text(stream, {item(version, 0, named)}),
                                                         entry_text(stream + "b", {item(version, n, named)})})
                                    : client.append(stream, {item(version, n, named)});
      expect_one_of(answer, {201, 422, 503});
      if (answer.status == 201) {
        ++accepted_;
        accepted_.notify_all();
      }
      if (answer.status == 0) return;
    }
  }

  // Replaces upcasters, and registers versions with theirs; each refuses another number.
  void deploy_upcasters(std::uint64_t seed) {
    Random random(seed);
    ApiClient client = new_client();
    while (!stop_) {
      // Half of the deployments race events that they refuse; the others find none, so that some succeed.
      const std::uint64_t odd = ++numbers_;
      const bool races = random.one_in(2);
      if (races) odd_ = odd;
      const int versions = versions_;
      const bool adds = versions < 2 || (versions < kVersionsMax && random.one_in(6));
      const int from =
          adds ? versions : static_cast<int>(random.between(1, static_cast<std::uint64_t>(versions) - 1));
      const std::string script = refusing(from, odd);
      const HttpAnswer answer =
          adds ? client.post("/subjects/Item/versions",
                             Json({{"schema", item_schema(from + 1)}, {"upcaster", script}}).dump())
               : client.put("/upcasters/Item/" + std::to_string(from), script, kLuaType);
      expect_one_of(answer, {200, 201, 422, 503});
      odd_ = odd;
      if (answer.status == 0) return;
      if (answer.status > 201) continue;
      ++deployed_;
      if (adds) versions_ = versions + 1;
    }
  }

  // Only a killed server leaves a request without an answer.
  void expect_one_of(const HttpAnswer& answer, const std::vector<int>& statuses) {
    if (answer.status == 0 && killed_) return;
    EXPECT_THAT(statuses, ::testing::Contains(answer.status)) << answer.body;
  }

  // The events that cannot be had in this shape: the problem of the first one, or "".
  std::string unreadable(const std::string& query) {
    for (std::string from = "1"; !from.empty();) {
      const HttpAnswer answer = get("/events?limit=1000&from=" + from + query);
      if (answer.status != 200) return answer.body.substr(0, 1'000);
      const Json page = answer.json();
      from = page["next"].is_null() ? "" : std::to_string(page["next"].get<std::uint64_t>());
    }
    return "";
  }

  std::atomic<bool> stop_{false};
  std::atomic<bool> killed_{false};
  std::atomic<int> versions_{1};
  std::atomic<std::uint64_t> odd_{0};      // the number that some of the items have
  std::atomic<std::uint64_t> numbers_{0};  // used so far
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> deployed_{0};
};

TEST_F(DeployRaceTest, EveryStoredEventIsReadableInEveryShape) {
  Random random("deployments race appends and kills");
  register_schema("Item", item_schema(1));
  for (std::size_t round = 0; round < rounds(4, 60); ++round) {
    stop_ = false;
    killed_ = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < kAppenders; ++i)
      threads.emplace_back([this, seed = random.next(), i] { append_items(seed, i); });
    threads.emplace_back([this, seed = random.next()] { deploy_upcasters(seed); });
    const std::uint64_t enough = accepted_ + random.between(20, 400);
    const std::uint64_t deployed_before = deployed_;
    for (std::uint64_t now = accepted_; now < enough || deployed_ == deployed_before; now = accepted_)
      accepted_.wait(now);
    killed_ = true;
    kill_server();
    stop_ = true;
    for (std::thread& thread : threads) thread.join();
    restart();
    const Json versions = get("/subjects/Item/versions").json();
    // A registration that was not answered may have been stored.
    ASSERT_GE(static_cast<int>(versions.size()), versions_);
    versions_ = static_cast<int>(versions.size());
    ASSERT_EQ(unreadable("&shape=latest"), "") << "round " << round;
  }
  for (int stored = 1; stored <= versions_; ++stored) {
    for (int wanted = stored; wanted <= versions_; ++wanted) {
      EXPECT_EQ(unreadable("&category=v" + std::to_string(stored) + "&shape=" + std::to_string(wanted)), "");
    }
  }
}

// The old check before the append showed 0 as the version; a start then found that the stored event fails.
TEST_F(DeployRaceTest, AnUpcasterThatReadsTheVersionDoesNotUndoItsSchema) {
  register_schema("Item", item_schema(1));
  const std::string script = upcaster_text(
      "if event.version and event.version > 2 then error('odd') end return {n = data.n, f2 = data.f1}",
      "Item", 1, 2);
  const HttpAnswer registered =
      post("/subjects/Item/versions", Json({{"schema", item_schema(2)}, {"upcaster", script}}).dump());
  ASSERT_EQ(registered.status, 200) << registered.body;
  for (int i = 0; i < 3; ++i) ASSERT_EQ(append("old-1", {item(1, 0, true)}).status, 201);
  ASSERT_EQ(append("new-1", {item(2, 0, true)}).status, 201);
  restart();
  EXPECT_EQ(get("/subjects/Item/versions").json(), Json({1, 2}));
  EXPECT_EQ(get("/streams/new-1/events").status, 200);
  EXPECT_EQ(get("/streams/old-1/events?limit=2").status, 200);
  const Json failed = problem(get("/streams/old-1/events"), 422, "upcaster-failed");
  EXPECT_EQ(failed["failures"][0]["version"], 3);
}

TEST_F(DeployRaceTest, WhatIsNotKnownBeforeTheAppendIsNilForTheUpcaster) {
  register_schema("Item", item_schema(1));
  const std::string script = upcaster_text(
      "local known = {} for name in pairs(event) do known[#known + 1] = name end\n"
      "    if data.n == 1 then error(table.concat(known, ' ')) end\n"
      "    return {n = data.n, f2 = data.f1}",
      "Item", 1, 2);
  ASSERT_EQ(
      post("/subjects/Item/versions", Json({{"schema", item_schema(2)}, {"upcaster", script}}).dump()).status,
      200);
  const Json without = problem(append("item-1", {item(1, 1, true)}), 422, "upcaster-failed");
  EXPECT_THAT(without["failures"][0]["error"].get<std::string>(),
              ::testing::HasSubstr("category data metadata stream tags type"));
  const std::string with_id = R"({"id":")" + uuid(1) + R"(",)" + item(1, 1, true).substr(1);
  const Json with = problem(append("item-1", {with_id}), 422, "upcaster-failed");
  EXPECT_THAT(with["failures"][0]["error"].get<std::string>(),
              ::testing::HasSubstr("category data id metadata stream tags type"));
}

}  // namespace
}  // namespace cairn::test
