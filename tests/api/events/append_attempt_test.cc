#include "api/events/append_attempt.h"

#include <gtest/gtest.h>

#include <future>

#include "api/registry/registry_service.h"
#include "api/serving/store_problem.h"
#include "tests/support/store_fixture.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {
namespace {

class AppendAttemptTest : public test::StoreTest {
 protected:
  static Answered<AppendBody> parse(std::string_view body) { return parse_stream_append("a-1", body); }

  HttpResponse append(const std::string& body) {
    const auto pending = std::make_shared<PendingAnswer>();
    const auto attempt = std::make_shared<AppendAttempt>(AppendAttempt::Parts{
        store(),
        registry_,
        *shapes_,
        SchemaPolicy::kOptional,
        {[](const AppendResult& result) { return json_response(result.already_applied ? 200 : 201, "{}"); },
         store_problem},
        nullptr,
        Responder(pending),
        parse});
    attempt->start(*parse(body), body);
    std::promise<void> answered;
    pending->when_ready([&] { answered.set_value(); });
    answered.get_future().wait();
    return *pending->take();
  }

  std::unique_ptr<SchemaRegistry> schemas_ = *SchemaRegistry::open(store());
  RegistryService registry_{*schemas_};
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), *schemas_);
};

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

}  // namespace
}  // namespace cairn::api
