// Which daemon carries out commands, if this server has one.

#include "api/projections/projection_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/projections/fake_daemon.h"
#include "tests/support/matchers.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

TEST(ProjectionServiceTest, TheDaemonThatBuildsCarriesOutCommands) {
  FakeDaemon daemon;
  api::ProjectionService service(daemon);
  EXPECT_EQ(*service.builder("sums"), &daemon);
  service.stop();
}

TEST(ProjectionServiceTest, AServerThatOnlyReadsRefusesCommands) {
  FakeDaemon models;
  models.status_.name = "sums";
  api::ProjectionService service(models, nullptr);
  EXPECT_THAT(service.builder("sums"), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(service.builder("sums").error().message, HasSubstr("--projections on"));
  EXPECT_THAT(service.builder("others"), fails_with(Errc::kNotFound));
  service.stop();
}

}  // namespace
}  // namespace cairn::test
