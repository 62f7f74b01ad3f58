#include "tools/cli/server/failure_report.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

TEST(FailureReportTest, ARegistryErrorHasItsCodeUnlessThatIsTheStatus) {
  EXPECT_EQ(refusal_text({404, R"({"error_code":40401,"message":"Subject 'Order' not found."})"}),
            "Subject 'Order' not found. (404 40401)");
  EXPECT_EQ(refusal_text({403, R"({"error_code":403,"message":"The token 'a' lacks the scope 'admin'."})"}),
            "The token 'a' lacks the scope 'admin'. (403)");
}

TEST(FailureReportTest, AProblemHasItsSlug) {
  EXPECT_EQ(refusal_text({403, R"({"type":"/problems/forbidden","title":"Not allowed","detail":"No."})"}),
            "No. (403 forbidden)");
}

}  // namespace
}  // namespace cairn::cli
