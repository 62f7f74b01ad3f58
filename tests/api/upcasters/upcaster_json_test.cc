#include "api/upcasters/upcaster_json.h"

#include <gtest/gtest.h>

#include <string>

#include "api/upcasters/deploy_problem.h"

namespace cairn::api {
namespace {

Upcaster upcaster() {
  Upcaster upcaster;
  upcaster.header = {"OrderPlaced", 1, 2, {"A", "B"}};
  upcaster.source = "return {}\n";
  upcaster.fingerprint = "00ff";
  upcaster.revision = 3;
  upcaster.position = {7};
  upcaster.installed_at = Timestamp{1};
  return upcaster;
}

TEST(UpcasterJsonTest, UpcasterHasASourceIfWanted) {
  const std::string members = R"({"type":"OrderPlaced","from":1,"to":2,"revision":3,"fingerprint":"00ff",)"
                              R"("position":7,"installedAt":"1970-01-01T00:00:00.000001Z")";
  std::string text;
  append_upcaster_json(text, upcaster(), WithSource::kNo);
  EXPECT_EQ(text, members + "}");
  text.clear();
  append_upcaster_json(text, upcaster(), WithSource::kYes);
  EXPECT_EQ(text, members + R"(,"produces":["A","B"],"source":"return {}\n"})");
}

TEST(UpcasterJsonTest, DeploymentReportsTheCheck) {
  Deployed deployed;
  deployed.header = upcaster().header;
  deployed.fingerprint = "00ff";
  deployed.revision = 3;
  deployed.report.checked = 12;
  EXPECT_EQ(to_json(deployed, DryRun::kYes),
            R"({"type":"OrderPlaced","from":1,"to":2,"checked":12,"failed":0,"fingerprint":"00ff",)"
            R"("revision":3,"dryRun":true,"unchanged":false})");
  EXPECT_EQ(to_json(VerificationProgress{{5}, {9}, 4, 1}),
            R"({"position":5,"head":9,"checked":4,"failed":1})");
}

TEST(DeployProblemTest, FailuresAreCountedByKind) {
  VerificationReport report;
  report.checked = 10;
  report.failed = 4;
  report.kinds = {{"rare", 1}, {"often", 3}};
  ShapeFault fault;
  fault.message = "no \"total\"";
  fault.position = {7};
  fault.stream = "order-1";
  fault.version = {2};
  report.failures = {fault, fault};
  const std::string json = deploy_problem(report).to_json();
  const std::string failure = R"({"position":7,"stream":"order-1","version":2,"error":"no \"total\""})";
  const std::string fields = R"("failures":[)" + failure + "," + failure +
                             R"(],"kinds":[{"error":"often","count":3},)" +
                             R"({"error":"rare","count":1}],"checked":10,"failed":4,"complete":true})";
  EXPECT_TRUE(json.ends_with(fields)) << json;
}

}  // namespace
}  // namespace cairn::api
