#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/api/raw_client.h"
#include "tests/api/server/api_client.h"
#include "tests/support/cairn_process.h"
#include "tests/support/scale.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// Fixture of the API's tests: a real server in its own process, with its own folder and port.
class ApiTest : public ::testing::Test {
 protected:
  // Starts the server and waits until it is ready. restart() uses the same arguments.
  void serve(std::vector<std::string> more = {"--schemas", "optional"}, ProcessOptions options = {}) {
    more_ = std::move(more);
    options_ = std::move(options);
    start();
  }
  void restart() {
    kill_server();
    start();
  }
  // A crash: SIGKILL.
  void kill_server() {
    if (!server_) return;
    server_->signal(SIGKILL);
    server_->finish();
    server_.reset();
  }
  // An orderly stop: SIGTERM.
  Finished stop_server(std::chrono::milliseconds patience = std::chrono::seconds(5)) {
    server_->signal(SIGTERM);
    Finished finished = server_->finish(patience);
    server_.reset();
    return finished;
  }

  ApiClient new_client() const { return ApiClient(port_, headers_); }
  RawClient raw() const { return RawClient(port_); }
  ApiClient& client() { return *client_; }

  // Headers that the client sends with every request from the next start on.
  void send_always(httplib::Headers headers) { headers_ = std::move(headers); }

  HttpAnswer get(const std::string& path, const httplib::Headers& more = {}) {
    return client().get(path, more);
  }
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& content_type = "application/json") {
    return client().post(path, body, content_type);
  }
  HttpAnswer append(const std::string& stream, const std::vector<std::string>& events,
                    std::string_view expected = "") {
    return client().append(stream, events, expected);
  }
  HttpAnswer append_all(const std::vector<std::string>& entries) { return client().append_all(entries); }

  // `count` events with their number as data, in requests of up to 1,000.
  void append_numbered(const std::string& stream, std::size_t count) {
    std::vector<std::string> events;
    for (std::size_t n = 1; n <= count; ++n) {
      events.push_back(event_text("Counted", "{\"n\":" + std::to_string(n) + "}"));
      if (events.size() < 1'000 && n < count) continue;
      ASSERT_EQ(append(stream, events).status, 201);
      events.clear();
    }
  }

  std::uint64_t head() { return get("/ready").json().value("head", ~std::uint64_t{0}); }

  // The problem, after checking the members that all problems have.
  Json problem(const HttpAnswer& answer, int status, const std::string& slug) {
    EXPECT_EQ(answer.status, status) << answer.body.substr(0, 500);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    Json parsed = Json::parse(answer.body, nullptr, false);
    if (!parsed.is_object()) {
      ADD_FAILURE() << "no JSON object: " << answer.body.substr(0, 500);
      return Json::object();
    }
    EXPECT_EQ(parsed.value("type", ""), "/problems/" + slug) << answer.body.substr(0, 500);
    EXPECT_EQ(parsed.value("status", 0), answer.status);
    EXPECT_FALSE(parsed.value("title", "").empty());
    EXPECT_FALSE(parsed.value("detail", "").empty());
    return parsed;
  }

  CairnProcess& server() { return *server_; }
  std::uint16_t port() const { return port_; }
  std::string url() const { return url_; }
  std::string folder() const { return folder_.path().string(); }
  const TempFolder& temp() const { return temp_; }
  // The data folder; by default one of the test's own.
  void keep_data_in(std::string path) { data_ = std::move(path); }

  // KiB of the server's anonymous memory, without mapped files. 0 under a sanitizer, which uses memory of its
  // own, so that every bound holds.
  std::size_t server_memory_kib() {
    if (kSanitizerDivisor > 1) return 0;
    std::ifstream status("/proc/" + std::to_string(server_->pid()) + "/status");
    std::size_t kib = 0;
    for (std::string word; status >> word;) {
      if (word == "RssAnon:") status >> kib;
    }
    return kib;
  }

  // The best of several requests, because a busy machine may delay one.
  std::chrono::milliseconds health_latency() {
    auto best = std::chrono::steady_clock::duration::max();
    for (int i = 0; i < 10; ++i) {
      const auto began = std::chrono::steady_clock::now();
      EXPECT_EQ(raw().get("/health").status, 200);
      best = std::min(best, std::chrono::steady_clock::now() - began);
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(best);
  }
  void expect_healthy() { EXPECT_LT(health_latency(), std::chrono::milliseconds(100)); }

 private:
  void start() {
    url_.clear();
    std::vector<std::string> command = {"serve", "--data", data_.empty() ? folder() : data_, "--listen",
                                        "127.0.0.1:0"};
    command.insert(command.end(), more_.begin(), more_.end());
    server_ = std::make_unique<CairnProcess>(command, options_);
    const std::string line = server_->first_line();
    if (line.starts_with('{')) {  // with --log-format json
      url_ = Json::parse(line).value("url", "");
    } else if (const auto at = line.find(" on http"); at != std::string::npos) {
      url_ = line.substr(at + 4);
    }
    ASSERT_NE(url_, "") << server_->finish(std::chrono::milliseconds(0)).errors;
    port_ = static_cast<std::uint16_t>(std::stoul(url_.substr(url_.rfind(':') + 1)));
    client_ = std::make_unique<ApiClient>(port_, headers_);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (url_.starts_with("http:") && client_->get("/ready").status == 503) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the server did not become ready";
    }
  }

  TempFolder folder_;
  TempFolder temp_;
  std::string data_;
  std::vector<std::string> more_;
  ProcessOptions options_;
  httplib::Headers headers_;
  std::unique_ptr<CairnProcess> server_;
  std::unique_ptr<ApiClient> client_;
  std::string url_;
  std::uint16_t port_ = 0;
};

}  // namespace cairn::test
