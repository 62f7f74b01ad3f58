#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/api/client/scripted_server.h"
#include "tests/support/cairn_process.h"

namespace cairn::test {

// `cairn projection` with a scripted server.
class ProjectionToolTest : public ::testing::Test {
 protected:
  using json = nlohmann::json;
  using Reply = ScriptedServer::Reply;

  void script(std::vector<Reply> replies) { server_ = std::make_unique<ScriptedServer>(std::move(replies)); }

  std::unique_ptr<CairnProcess> start(std::vector<std::string> words,
                                      const ProcessOptions& options = {}) const {
    words.insert(words.begin(), "projection");
    words.insert(words.end(), {"--url", server_->url()});
    return std::make_unique<CairnProcess>(words, options);
  }
  Finished run(const std::vector<std::string>& words, const ProcessOptions& options = {}) const {
    return start(words, options)->finish();
  }

  // The first line of a request.
  std::string asked(std::size_t request) const {
    const std::vector<std::string> all = server_->requests();
    return request < all.size() ? all[request].substr(0, all[request].find(" HTTP/")) : "";
  }

  static Reply says(const json& body, int status = 200) {
    return ScriptedServer::answer(status, body.dump());
  }
  static Reply refuses(int status, const std::string& slug, const std::string& detail) {
    return says({{"type", "/problems/" + slug}, {"title", "No"}, {"status", status}, {"detail", detail}},
                status);
  }

  // The status of a running projection, with the given changes.
  static json status(const json& other = json::object()) {
    json status = {{"name", "orders"},
                   {"state", "running"},
                   {"reason", ""},
                   {"position", 1'234'567},
                   {"head", 1'234'567},
                   {"lag", {{"events", 0}, {"seconds", 0.0}}},
                   {"eventsPerSecond", 0.0},
                   {"generation", 4},
                   {"previousGeneration", 3},
                   {"rebuild", nullptr},
                   {"parkedKeys", 0},
                   {"parkedEvents", 0},
                   {"oldestParkedSeconds", nullptr},
                   {"retries", 0},
                   {"rows", 12'345},
                   {"bytes", 1'048'576},
                   {"firstError", nullptr},
                   {"lastError", nullptr},
                   {"fingerprint", "abcd1234ffff"},
                   {"revision", 2},
                   {"outdated", false}};
    status.update(other);
    return status;
  }

  // One that is being built as generation 5.
  static json rebuilding(std::uint64_t position = 400'000, const json& other = json::object()) {
    json rebuild = {{"generation", 5},     {"position", position},
                    {"target", 1'000'000}, {"eventsPerSecond", 250'000.0},
                    {"etaSeconds", 2.4},   {"eventsPerSecondMax", nullptr},
                    {"parkedKeys", 0},     {"rows", 100},
                    {"holds", nullptr}};
    rebuild.update(other);
    return status({{"state", "rebuilding"}, {"rebuild", rebuild}});
  }
  static json rebuilt() { return status({{"generation", 5}, {"previousGeneration", 4}}); }

  std::unique_ptr<ScriptedServer> server_;
};

}  // namespace cairn::test
