#pragma once

#include <openssl/sha.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"

namespace cairn::test {

inline constexpr const char* kReader = "cairn_readerreaderreaderreaderreaderreaderreader0";
inline constexpr const char* kWriter = "cairn_writerwriterwriterwriterwriterwriterwriter0";
inline constexpr const char* kBoth = "cairn_bothbothbothbothbothbothbothbothbothboth000";
inline constexpr const char* kOrders = "cairn_ordersordersordersordersordersordersorders0";
inline constexpr const char* kAdmin = "cairn_adminadminadminadminadminadminadminadmin000";
inline constexpr const char* kOrdersAdmin = "cairn_ordersadminordersadminordersadminordersad0";

// A server with a token file.
class AccessTest : public ApiTest {
 protected:
  void SetUp() override {
    write_tokens("# who may do what\n\n" + line("reader", kReader, R"(["read"])") +
                 line("writer", kWriter, R"(["append"])") + line("both", kBoth, R"(["read","append"])") +
                 line("orders", kOrders, R"(["read","append"])", R"(,"categories":["order"])") +
                 line("admin", kAdmin, R"(["admin"])") +
                 line("orders-admin", kOrdersAdmin, R"(["admin"])", R"(,"categories":["order"])"));
  }
  void serve_with_tokens() {
    send_always({{"Authorization", std::string("Bearer ") + kBoth}});
    serve({"--schemas", "optional", "--tokens", tokens_path()});
  }

  static std::string line(const std::string& name, const std::string& token, const std::string& scopes,
                          const std::string& more = "") {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    ::SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest);
    std::string hex;
    for (const unsigned char byte : digest) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", byte);
      hex += two;
    }
    return R"({"name":")" + name + R"(","sha256":")" + hex + R"(","scopes":)" + scopes + more + "}\n";
  }
  void write_tokens(const std::string& text) {
    std::ofstream(tokens_path(), std::ios::trunc) << text;
    std::filesystem::permissions(tokens_path(), std::filesystem::perms::owner_read);
  }
  std::string tokens_path() const { return (temp() / "tokens").string(); }

  ApiClient as(const std::string& token) { return ApiClient(port(), {{"Authorization", "Bearer " + token}}); }
  ApiClient with_authorization(const std::string& value) {
    return ApiClient(port(), {{"Authorization", value}});
  }
  ApiClient nobody() { return ApiClient(port()); }
  void expect_unauthorized(const HttpAnswer& answer) {
    problem(answer, 401, "unauthorized");
    EXPECT_EQ(answer.header("WWW-Authenticate"), "Bearer realm=\"cairn\"");
  }
  void expect_forbidden(const HttpAnswer& answer, const std::string& missing) {
    EXPECT_THAT(problem(answer, 403, "forbidden").value("detail", ""), ::testing::HasSubstr(missing));
  }
  Finished try_to_serve(const std::vector<std::string>& more) {
    std::vector<std::string> command = {"serve", "--data", folder()};
    command.insert(command.end(), more.begin(), more.end());
    return run_cairn(command);
  }
};

}  // namespace cairn::test
