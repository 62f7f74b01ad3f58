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
  static std::variant<AppendBody, Problem> parse(std::string_view body) {
    return parse_stream_append("a-1", body);
  }

  HttpResponse append(const std::string& body) {
    const auto pending = std::make_shared<PendingAnswer>();
    const auto attempt = std::make_shared<AppendAttempt>(AppendAttempt::Parts{
        store(),
        *registry_,
        *shapes_,
        SchemaPolicy::kOptional,
        {[](const AppendResult& result) { return json_response(result.already_applied ? 200 : 201, "{}"); },
         store_problem},
        nullptr,
        Responder(pending),
        parse});
    attempt->start(std::get<AppendBody>(parse(body)), body);
    std::promise<void> answered;
    pending->when_ready([&] { answered.set_value(); });
    answered.get_future().wait();
    return *pending->take();
  }

  std::unique_ptr<RegistryService> registry_ = *RegistryService::open(store());
  std::unique_ptr<EventShapes> shapes_ = *EventShapes::open(store(), registry_->registry());
};

constexpr char kFirst[] = R"({"events":[{"id":"0191f3c2-0000-7000-8000-000000000001","type":"T","data":1}]})";
constexpr char kOther[] = R"({"events":[{"id":"0191f3c2-0000-7000-8000-000000000001","type":"T","data":2}]})";

TEST_F(AppendAttemptTest, AnIdInUseIsRefusedAfterASecondLook) {
  EXPECT_EQ(append(kFirst).status, 201);
  EXPECT_EQ(append(kFirst).status, 200);
  EXPECT_EQ(append(kOther).status, 409);
}

// Whether it is a repeat is not known then, so nothing final may be said.
TEST_F(AppendAttemptTest, WithoutASecondLookTheClientIsToldToComeBack) {
  EXPECT_EQ(append(kFirst).status, 201);
  registry_->worker().stop();
  EXPECT_EQ(append(kOther).status, 503);
}

}  // namespace
}  // namespace cairn::api
