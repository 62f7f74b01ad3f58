// Compatibility checks that take long: bounded in processor time, and ended when nobody waits for them.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/raw_client.h"
#include "tests/api/server/registry_fixture.h"
#include "tests/schemaregistry/schema_builders.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class RegistryBudgetApiTest : public RegistryApiTest {
 protected:
  // Two schemas of so many types take nearly PairGraph::kWorkMax to compare, in each direction.
  static constexpr int kTypes = 110;
  static constexpr int kVersions = 150;

  void SetUp() override {}

  void serve_with(const std::string& cpu_ms) { serve({"--compatibility-cpu-ms", cpu_ms}); }

  // A subject that a new version is compared with for many seconds.
  void register_many() {
    answered(put("/config/Tangle", R"({"compatibility":"FULL_TRANSITIVE"})"));
    for (int i = 0; i < kVersions; ++i) {
      answered(
          send("/subjects/Tangle/versions?force=true", tangle(kTypes, "v" + std::to_string(i) + "_", "int")));
    }
  }
  static std::string check_body() { return schema_body(tangle(kTypes, "next", "int")); }
  static std::string long_check() {
    const std::string body = check_body();
    return "POST /compatibility/subjects/Tangle/versions HTTP/1.1\r\nHost: localhost\r\n"
           "Content-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  // The value of one metric; -1 when it is missing.
  double metric(const std::string& name) {
    std::istringstream text(get("/metrics").body);
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
    }
    return -1;
  }

  // The processor time of the registry's thread so far, in ticks of the system.
  long registry_ticks() {
    const std::string tasks = "/proc/" + std::to_string(server().pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      std::string name;
      std::ifstream(task.path() / "comm") >> name;
      if (name != "cairn-registry") continue;
      std::ifstream stat(task.path() / "stat");
      std::string word;
      for (int i = 0; i < 13; ++i) stat >> word;
      long user = 0;
      stat >> user;
      return user;
    }
    ADD_FAILURE() << "there is no thread of the registry";
    return 0;
  }
  // Waits until the registry's thread has worked for a fifth of a second.
  void wait_until_it_works(long since) {
    const long wanted = since + ::sysconf(_SC_CLK_TCK) / 5;
    while (registry_ticks() < wanted && !HasFailure()) {
    }
  }
};

TEST_F(RegistryBudgetApiTest, ARequestBeyondItsBudgetIsRefusedAndRegistersNothing) {
  serve_with("600000");
  register_many();
  kill_server();
  serve_with("500");
  const std::string next = tangle(kTypes, "next", "int");
  for (const char* path : {"/compatibility/subjects/Tangle/versions", "/subjects/Tangle/versions"}) {
    const HttpAnswer answer = send(path, next);
    EXPECT_THAT(refused(answer, 50301), HasSubstr("500 ms of processor time")) << path;
    EXPECT_EQ(answer.header("Retry-After"), "") << "the same request fails again";
  }
  EXPECT_EQ(got("/subjects/Tangle/versions").size(), std::size_t{kVersions});
  answered(send("/subjects/Order/versions", order_schema()));
  answered(look_up("Order", order_schema()));
}

TEST_F(RegistryBudgetApiTest, ACheckEndsWhenItsClientLeaves) {
  serve_with("600000");
  register_many();
  const long before = registry_ticks();
  {
    RawClient leaving = raw();
    ASSERT_TRUE(leaving.send(long_check()));
    wait_until_it_works(before);
  }
  // It waits for the thread that the check has.
  answered(register_schema("Order", order_schema()));
  const long took = (registry_ticks() - before) / ::sysconf(_SC_CLK_TCK);
  ASSERT_LT(took, 5) << "seconds of processor time for a check that nobody waits for";
  while (metric("cairn_http_requests_cancelled_total") < 1) {
  }
}

TEST_F(RegistryBudgetApiTest, AStoppingServerEndsTheCheckAndAnswers) {
  serve_with("600000");
  register_many();
  const long before = registry_ticks();
  RawClient waiting = raw();
  ASSERT_TRUE(waiting.send(long_check()));
  wait_until_it_works(before);
  EXPECT_EQ(stop_server().exit_code, 0);
  const RawResponse answer = waiting.receive();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("of 150 versions"));
}

}  // namespace
}  // namespace cairn::test
