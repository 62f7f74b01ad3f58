// TLS, with a certificate made for the test.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/api/server/api_fixture.h"
#include "tests/support/child_process.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class TlsTest : public ApiTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/openssl") || !std::filesystem::exists("/usr/bin/curl")) {
      GTEST_SKIP() << "needs the programs openssl and curl";
    }
    make_certificate(certificate(), key());
  }
  static void make_certificate(const std::string& certificate, const std::string& key) {
    ASSERT_TRUE(run({"/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate, "-days",
                     "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"},
                    nullptr)
                    .clean());
  }
  void serve_tls() { serve({"--schemas", "optional", "--tls-cert", certificate(), "--tls-key", key()}); }

  static Exit run(const std::vector<std::string>& command, std::string* output) {
    std::vector<std::string> quiet = {"/bin/sh", "-c", "exec \"$@\" 2>/dev/null", "sh"};
    quiet.insert(quiet.end(), command.begin(), command.end());
    ChildProcess child({quiet, {}});
    child.close_input();
    while (auto line = child.read_line()) {
      if (output != nullptr) *output += *line + "\n";
    }
    return child.wait();
  }
  // The output of curl, with a line end; "" when it failed.
  std::string curl(std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/curl", "-sS", "--max-time", "20", "-w", "\n"});
    std::string output;
    return run(words, &output).clean() ? output : "";
  }
  std::string curl_trusting(const std::string& path, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"--cacert", certificate(), "https://localhost:" + std::to_string(port()) + path});
    return curl(more);
  }

  std::string key() const { return (temp() / "key.pem").string(); }
  std::string certificate() const { return (temp() / "cert.pem").string(); }
};

TEST_F(TlsTest, AClientThatTrustsTheCertificateIsServed) {
  serve_tls();
  EXPECT_THAT(url(), ::testing::StartsWith("https://"));
  EXPECT_THAT(curl_trusting("/health"), HasSubstr("alive"));
  EXPECT_THAT(curl_trusting("/streams/a-1/events",
                            {"-H", "Content-Type: application/json", "-d", events_text({event_text("T")})}),
              HasSubstr("\"lastPosition\":1"));
  EXPECT_THAT(curl_trusting("/events"), HasSubstr("\"head\":1"));
  EXPECT_THAT(curl_trusting("/events?limit=1", {"-N", "-H", "Accept: text/event-stream"}),
              HasSubstr("id: 1\n"));
  EXPECT_EQ(curl({"https://localhost:" + std::to_string(port()) + "/health"}), "") << "nobody vouches for it";
}

TEST_F(TlsTest, TheDoctorSaysHowLongTheCertificateIsValid) {
  serve_tls();
  const Finished done = run_cairn(
      {"doctor", "https://localhost:" + std::to_string(port()), "--ca-file", certificate(), "--json"});
  EXPECT_EQ(done.exit_code, 0) << done.output << done.errors;
  const Json report = Json::parse(done.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << done.output;
  Json found;
  for (const Json& check : report["checks"]) {
    if (check["name"] == "certificate") found = check;
  }
  EXPECT_EQ(found["verdict"], "warning") << report;
  EXPECT_THAT(found["text"].get<std::string>(), HasSubstr("valid for 1 day: replace it"));
}

TEST_F(TlsTest, LargeAnswersAndBodiesAreComplete) {
  serve_tls();
  std::ofstream(temp() / "body") << events_text({event_text("T", "\"" + std::string(5u << 20, 'x') + "\"")});
  EXPECT_THAT(curl_trusting("/streams/a-1/events", {"-H", "Content-Type: application/json", "--data-binary",
                                                    "@" + (temp() / "body").string()}),
              HasSubstr("\"lastPosition\":1"));
  const std::string all = curl_trusting("/events", {"-H", "Accept: application/x-ndjson"});
  EXPECT_EQ(Json::parse(all, nullptr, false)["data"].get<std::string>().size(), 5u << 20);
}

TEST_F(TlsTest, PlainHttpIsNotServedAndDoesNoHarm) {
  serve_tls();
  for (const std::string& bytes : {std::string("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                                   std::string("\x16\x03\x01\xff\xff"), std::string(100'000, 'x')}) {
    RawClient plain = raw();
    plain.send(bytes);
    EXPECT_NE(plain.receive().status, 200);
  }
  std::vector<RawClient> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(raw());
  EXPECT_THAT(curl_trusting("/health"), HasSubstr("alive"));
  EXPECT_EQ(stop_server().exit_code, 0) << "handshakes that never begin do not hold the stop";
}

TEST_F(TlsTest, PlainHttpIsToldToUseTls) {
  serve_tls();
  RawClient plain = raw();
  const RawResponse refused = plain.get("/health");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("use https://"));
  const Finished client = run_cairn({"read", "--all", "--url", "http://127.0.0.1:" + std::to_string(port())});
  EXPECT_EQ(client.exit_code, 1);
  EXPECT_THAT(client.errors,
              HasSubstr("The client sent plain HTTP, and this server speaks TLS: use https://."));
}

TEST_F(TlsTest, TlsIsToldAtOnceToUsePlainHttp) {
  serve();
  RawClient tls = raw();
  tls.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
  const RawResponse refused = tls.receive();
  EXPECT_EQ(refused.status, 400) << "before the head is complete, which it never is";
  EXPECT_THAT(refused.body, HasSubstr("use http://"));
  const std::string there = "127.0.0.1:" + std::to_string(port());
  const Finished client = run_cairn({"read", "--all", "--url", "https://" + there});
  EXPECT_EQ(client.exit_code, 3);
  EXPECT_THAT(client.errors,
              HasSubstr("https://" + there + ": the server there speaks plain HTTP; use http://"));
}

TEST_F(TlsTest, OldTlsVersionsAreRefused) {
  serve_tls();
  EXPECT_EQ(curl_trusting("/health", {"--tls-max", "1.1"}), "");
  EXPECT_THAT(curl_trusting("/health", {"--tls-max", "1.2"}), HasSubstr("alive"));
  EXPECT_THAT(curl_trusting("/health", {"--tlsv1.3"}), HasSubstr("alive"));
}

TEST_F(TlsTest, SighupPutsANewCertificateInForce) {
  serve_tls();
  const std::string old_certificate = (temp() / "old.pem").string();
  std::filesystem::copy_file(certificate(), old_certificate);
  const auto served_to = [this](const std::string& trusted) {
    return curl({"--cacert", trusted, "https://localhost:" + std::to_string(port()) + "/health"});
  };
  const std::string other_key = (temp() / "other-key.pem").string();
  make_certificate(certificate(), other_key);
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("The reload failed, and nothing has changed: cannot use " + key()));
  EXPECT_THAT(served_to(old_certificate), HasSubstr("alive")) << "the key is that of the old one";

  std::filesystem::rename(other_key, key());
  server().signal(SIGHUP);
  ASSERT_TRUE(server().complains("Reloaded " + certificate() + ", the certificate is valid until 20"));
  EXPECT_THAT(served_to(certificate()), HasSubstr("alive"));
  EXPECT_EQ(served_to(old_certificate), "");
}

TEST_F(TlsTest, InvalidFilesAreNamed) {
  const std::string none = (temp() / "none.pem").string();
  std::ofstream(temp() / "empty.pem") << "";
  const std::string empty = (temp() / "empty.pem").string();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {none, key()}, {certificate(), none}, {empty, key()}, {certificate(), certificate()}};
  for (const auto& [cert, secret] : cases) {
    const Finished refused = run_cairn(
        {"serve", "--data", folder(), "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", secret});
    EXPECT_EQ(refused.exit_code, 1) << cert << " " << secret;
    EXPECT_THAT(refused.errors, HasSubstr(".pem"));
    EXPECT_EQ(refused.output, "");
  }
  EXPECT_NE(run_cairn({"serve", "--data", folder(), "--listen", "127.0.0.1:0", "--tls-cert", certificate()})
                .exit_code,
            0)
      << "a certificate without its key";
}

}  // namespace
}  // namespace cairn::test
