#include "api/events/append_attempt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "api/registry/registry_service.h"
#include "api/serving/store_problem.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {
namespace {

using ::testing::HasSubstr;

class AppendAttemptTest : public test::StoreTest {
 protected:
  static constexpr std::size_t kQueueMax = 64;

  static Answered<AppendBody> parse(std::string_view body) { return parse_stream_append("a-1", body); }

  // An append under way: its attempt, and its answer.
  struct Sent {
    std::shared_ptr<AppendAttempt> attempt;
    std::shared_ptr<PendingAnswer> answer;
  };

  Sent attempt(ClientId client = 0) {
    const auto pending = std::make_shared<PendingAnswer>(WorkLimits{}, client);
    return {std::make_shared<AppendAttempt>(
                AppendAttempt::Parts{store(),
                                     registry_,
                                     *shapes_,
                                     SchemaPolicy::kOptional,
                                     {[](const AppendResult& result) {
                                        return json_response(result.already_applied ? 200 : 201, "{}");
                                      },
                                      store_problem},
                                     nullptr,
                                     Responder(pending),
                                     parse}),
            pending};
  }

  Sent send(const std::string& body, ClientId client = 0) {
    Sent sent = attempt(client);
    sent.attempt->start(*parse(body), body);
    return sent;
  }

  static HttpResponse answer_to(const Sent& sent) {
    std::promise<void> answered;
    sent.answer->when_ready([&] { answered.set_value(); });
    answered.get_future().wait();
    return *sent.answer->take();
  }

  HttpResponse append(const std::string& body) { return answer_to(send(body)); }

  void register_schema(const std::string& type, const std::string& field) {
    const std::string text =
        R"({"type":"record","name":"T","fields":[{"name":")" + field + R"(","type":"long"}]})";
    const auto registered = schemas_->register_schema(
        {type, {text, {}}, Normalize::kNo, CheckCompatibility::kNo, std::nullopt, std::nullopt});
    ASSERT_TRUE(registered.ok()) << registered.error().message;
  }

  DeployOutcome deploy(const std::string& body) {
    return shapes_->deployer().deploy(
        {.source =
             "return upcaster { type = 'T', from = 1, to = 2, upcast = function(data) " + body + " end }"},
        {});
  }

  // Stops the writer thread in its next commit, until go_on(): requests gather in the queue meanwhile.
  void stop_writer() {
    const auto stopped = std::make_shared<std::promise<void>>();
    at_commit_ = [this, stopped, go_on = go_on_.get_future().share()] {
      at_commit_ = nullptr;
      stopped->set_value();
      go_on.wait();
    };
    store().append_async(test::request({test::to("gate-1", ExpectedVersion::any(), {test::event("Gate")})}),
                         [](const Result<AppendResult>&) {});
    stopped->get_future().wait();
  }
  void go_on() { go_on_.set_value(); }
  void again() { go_on_ = {}; }
  void wait_for_queue(std::uint64_t requests) {
    while (store().stats().queue_requests < requests) std::this_thread::yield();
  }

  // Keeps a definition on its way to the log: the writer thread queues the next one when it plans a block. So an
  // append that was checked at the revision of the log is always planned behind one more definition.
  void keep_defining() {
    define_at_planning_ = true;
    define();
  }
  void stop_defining() {
    define_at_planning_ = false;
    while (store().stats().queue_requests > 0) std::this_thread::yield();
    append(kUntyped);  // behind the last definition
  }
  void define() {
    AppendRequest made =
        test::request({test::to("$definitions", ExpectedVersion::any(), {test::event("Other")})});
    made.origin = Origin::kSystem;
    store().append_async(std::move(made), [](const Result<AppendResult>&) {});
  }
  static constexpr char kUntyped[] = R"({"events":[{"type":"Untyped","data":1}]})";

  std::vector<test::Event> stored() { return value_of(test::read_all(store(), {.filter = {{"a"}, {}}})); }

 private:
  // Set before the store is opened; called by the writer thread, which also clears at_commit_.
  struct Hook {
    explicit Hook(AppendAttemptTest& test) {
      test.options().queue_requests_max = kQueueMax;
      test.options().on_commit = [&test](const CommitReport&) {
        is_writer_thread = true;
        if (const auto call = test.at_commit_) call();
      };
      test.options().clock = [&test, clock = test.options().clock] {
        if (is_writer_thread && test.define_at_planning_) test.define();
        return clock();
      };
    }
  };
  inline static thread_local bool is_writer_thread = false;
  std::function<void()> at_commit_;
  std::atomic<bool> define_at_planning_ = false;
  std::promise<void> go_on_;
  Hook hook_{*this};

 protected:
  std::unique_ptr<SchemaRegistry> schemas_ = *SchemaRegistry::open(store());
  RegistryService registry_{*schemas_};
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), *schemas_);
};

constexpr char kAny[] = R"({"events":[{"type":"T","data":1}]})";
constexpr char kFirst[] = R"({"events":[{"id":"0191f3c2-0000-7000-8000-000000000001","type":"T","data":1}]})";
constexpr char kOther[] = R"({"events":[{"id":"0191f3c2-0000-7000-8000-000000000001","type":"T","data":2}]})";

TEST_F(AppendAttemptTest, RepeatIsAppliedOnceAndAnotherEventWithTheIdIsRefused) {
  EXPECT_EQ(append(kFirst).status, 201);
  EXPECT_EQ(append(kFirst).status, 200);
  EXPECT_EQ(append(kOther).status, 409);
}

// The attempt cannot tell then whether it is a repeat, so the answer must ask the client to retry.
TEST_F(AppendAttemptTest, IdInUseIsUnavailableWhileTheRegistryThreadIsStopped) {
  EXPECT_EQ(append(kFirst).status, 201);
  registry_.worker().stop();
  EXPECT_EQ(append(kOther).status, 503);
}

// The writer's queue knows whose requests it holds.
TEST_F(AppendAttemptTest, OnlyTheClientThatFloodsTheQueueIsRefused) {
  stop_writer();
  std::vector<Sent> flood;
  for (std::size_t i = 0; i < kQueueMax - kQueueMax / 4; ++i) flood.push_back(send(kAny, 1));
  for (const Sent& each : flood) EXPECT_FALSE(each.answer->answered());
  const Sent refused = send(kAny, 1);
  const Sent quiet = send(kAny, 2);
  EXPECT_FALSE(quiet.answer->answered());
  go_on();
  EXPECT_EQ(answer_to(refused).status, 429);
  EXPECT_EQ(answer_to(quiet).status, 201);
  for (const Sent& each : flood) EXPECT_EQ(answer_to(each).status, 201);
}

// --- Schemas and upcasters that change while an append is under way

constexpr char kOld[] = R"({"events":[{"type":"T","schemaVersion":1,"data":{"a":1}}]})";
constexpr char kOdd[] = R"({"events":[{"type":"T","schemaVersion":1,"data":{"a":-1}}]})";
constexpr char kUnnamed[] = R"({"events":[{"type":"T","data":{"a":-1}}]})";
constexpr char kPicky[] = "assert(data.a > 0, 'odd') return { b = data.a }";

TEST_F(AppendAttemptTest, AnAppendThatIsPlannedBehindADeploymentIsCheckedAgain) {
  register_schema("T", "a");
  register_schema("T", "b");
  for (const char* body : {kOdd, kOld}) {
    stop_writer();
    std::thread deployment([&] { EXPECT_TRUE(deploy(std::string(kPicky) + (body == kOdd ? "" : " "))); });
    wait_for_queue(1);
    const Sent sent = send(body);  // the upcaster is not in the log yet
    wait_for_queue(2);
    go_on();
    deployment.join();
    EXPECT_EQ(answer_to(sent).status, body == kOdd ? 422 : 201);
    EXPECT_EQ(stored().size(), body == kOdd ? 0u : 1u);
    again();
  }
}

TEST_F(AppendAttemptTest, AnAppendWithoutAVersionIsRunThroughTheUpcasterThatCameWithTheNewestOne) {
  register_schema("T", "a");
  const Sent sent = attempt();
  auto parsed = *parse(kUnnamed);
  ASSERT_TRUE(apply_schemas(parsed, registry_.codecs(), SchemaPolicy::kOptional).ok());  // as version 1
  register_schema("T", "b");
  ASSERT_TRUE(deploy(kPicky));
  sent.attempt->start(parsed, "");
  EXPECT_EQ(answer_to(sent).status, 422);
  EXPECT_TRUE(stored().empty());
}

TEST_F(AppendAttemptTest, AnAppendBesideAnotherDefinitionSucceeds) {
  const Sent sent = attempt();
  AppendRequest other =
      test::request({test::to("$definitions", ExpectedVersion::any(), {test::event("Other")})});
  other.origin = Origin::kSystem;
  ASSERT_TRUE(store().append(other).ok());
  sent.attempt->start(*parse(kFirst), kFirst);
  EXPECT_EQ(answer_to(sent).status, 201);
  EXPECT_EQ(append(kFirst).status, 200);
}

TEST_F(AppendAttemptTest, DataWithoutASchemaIsCheckedWhenItsTypeGetsOne) {
  stop_writer();
  std::thread registration([&] { register_schema("T", "a"); });
  wait_for_queue(1);
  const Sent fits = send(R"({"events":[{"type":"T","data":{"a":1}}]})");
  const Sent does_not = send(R"({"events":[{"type":"T","data":{"x":1}}]})");
  wait_for_queue(3);
  go_on();
  registration.join();
  EXPECT_EQ(answer_to(fits).status, 201);
  EXPECT_EQ(answer_to(does_not).status, 422);
  const auto events = stored();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].schema, 0u);
}

TEST_F(AppendAttemptTest, AnAppendWhoseSchemaWasRemovedMeanwhileIsSentAgainByTheClient) {
  register_schema("T", "a");
  register_schema("T", "b");
  const Sent sent = attempt();
  auto parsed = *parse(kOld);
  ASSERT_TRUE(apply_schemas(parsed, registry_.codecs(), SchemaPolicy::kOptional).ok());
  for (const Permanent permanent : {Permanent::kNo, Permanent::kYes})
    ASSERT_TRUE(schemas_->delete_version("T", 1, permanent).ok());
  sent.attempt->start(parsed, "");
  EXPECT_EQ(answer_to(sent).status, 503);
  EXPECT_TRUE(stored().empty());
}

// The answer to the client that has to send its events again.
void expect_stale(const HttpResponse& answer) {
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("type":"/problems/overloaded")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("check":"revision")"));
}

TEST_F(AppendAttemptTest, AnAppendThatIsStaleEachTimeIsRefusedAfterEightRoundsAndDelaysNoOther) {
  EXPECT_EQ(append(kFirst).status, 201);
  const std::size_t before = stored().size();
  keep_defining();
  for (int i = 0; i < 3; ++i) {
    const Sent stale = send(kAny, 1);
    EXPECT_EQ(append(kFirst).status, 200) << "a repeat waits for no revision";
    EXPECT_TRUE(
        store().append(test::request({test::to("b-1", ExpectedVersion::any(), {test::event("B")})})).ok());
    const HttpResponse wrong = append(R"({"expectedVersion":9,"events":[{"type":"T","data":1}]})");
    EXPECT_EQ(wrong.status, 409) << "an expected version depends on no schema";
    EXPECT_THAT(wrong.body, HasSubstr(R"("check":"versions")"));
    expect_stale(answer_to(stale));
  }
  EXPECT_EQ(stored().size(), before) << "an append that was refused is stored";
  stop_defining();
  EXPECT_EQ(append(kAny).status, 201);
}

TEST_F(AppendAttemptTest, DeploymentsInALoopLeaveEveryClientItsProgress) {
  register_schema("T", "a");
  register_schema("T", "b");
  constexpr int kClients = 4;
  constexpr int kEach = 150;
  std::atomic<int> busy = kClients;
  std::atomic<std::size_t> accepted = 0;
  std::vector<std::thread> clients;
  for (int client = 1; client <= kClients; ++client) {
    clients.emplace_back([&, client] {
      for (int done = 0; done < kEach;) {
        const HttpResponse answer = answer_to(send(kOld, static_cast<ClientId>(client)));
        if (answer.status != 201) {
          expect_stale(answer);
          continue;
        }
        ++accepted;
        ++done;
      }
      --busy;
    });
  }
  int deployed = 0;
  for (; busy > 0 || deployed < 3; ++deployed) {
    ASSERT_TRUE(deploy("return { b = " + std::to_string(deployed) + " }"));
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(accepted, kClients * kEach);
  EXPECT_EQ(stored().size(), accepted);
}

TEST_F(AppendAttemptTest, AHeldTypeWaitsForTheEndOfTheHoldAndOthersDoNot) {
  shapes_->hold().begin({"T"}, std::chrono::hours(1));
  const Sent held = send(kFirst);
  EXPECT_EQ(append(R"({"events":[{"type":"Other","data":1}]})").status, 201);
  EXPECT_FALSE(held.answer->answered());
  EXPECT_EQ(stored().size(), 1u);
  shapes_->hold().end();
  EXPECT_EQ(answer_to(held).status, 201);
}

}  // namespace
}  // namespace cairn::api
