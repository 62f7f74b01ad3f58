#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::test {

using Json = nlohmann::json;

struct HttpAnswer {
  int status = 0;  // 0 = none came
  std::string body;
  httplib::Headers headers;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  // The test fails when the body is not JSON.
  Json json() const {
    Json parsed = Json::parse(body, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << status << " " << body.substr(0, 500);
    return parsed;
  }
};

// The n-th id of a test.
inline std::string uuid(std::uint64_t n) {
  char text[64];
  std::snprintf(text, sizeof text, "018f3c9e-7f4a-7c30-9a1b-%012llx", static_cast<unsigned long long>(n));
  return text;
}

// An event of a request. `data` is JSON text, so that a test controls every byte.
inline std::string event_text(std::string_view type, std::string_view data = "{}", std::string_view id = "") {
  std::string text = "{\"type\":\"" + std::string(type) + "\",\"data\":" + std::string(data);
  if (!id.empty()) text += ",\"id\":\"" + std::string(id) + "\"";
  return text + "}";
}

// An event of a request, with tags and metadata.
inline std::string tagged_text(std::string_view type, const Json& tags,
                               const Json& metadata = Json::object()) {
  return Json({{"type", type}, {"data", 1}, {"tags", tags}, {"metadata", metadata}}).dump();
}

// A request's body with these events; `expected` is JSON, and left out when empty.
inline std::string events_text(const std::vector<std::string>& events, std::string_view expected = "") {
  std::string text = "{";
  if (!expected.empty()) text += "\"expectedVersion\":" + std::string(expected) + ",";
  text += "\"events\":[";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",") + events[i];
  return text + "]}";
}

// The same with the stream's name, as an entry of /append.
inline std::string entry_text(std::string_view stream, const std::vector<std::string>& events,
                              std::string_view expected = "") {
  return "{\"stream\":\"" + std::string(stream) + "\"," + events_text(events, expected).substr(1);
}
inline std::string check_text(std::string_view stream, std::string_view expected) {
  return "{\"stream\":\"" + std::string(stream) + "\",\"expectedVersion\":" + std::string(expected) + "}";
}
inline std::string appends_text(const std::vector<std::string>& entries) {
  std::string text = "{\"appends\":[";
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? "" : ",") + entries[i];
  return text + "]}";
}

// A well-behaved client with one connection. Not thread-safe. Every wait has a timeout.
class ApiClient {
 public:
  static constexpr int kPatienceSeconds = 100;

  explicit ApiClient(std::uint16_t port, httplib::Headers headers = {})
      : client_("127.0.0.1", port), headers_(std::move(headers)) {
    client_.set_keep_alive(true);
    client_.set_tcp_nodelay(true);
    client_.set_url_encode(false);  // Paths go out as the test wrote them.
    client_.set_connection_timeout(kPatienceSeconds);
    client_.set_read_timeout(kPatienceSeconds);
    client_.set_write_timeout(kPatienceSeconds);
  }

  HttpAnswer get(const std::string& path, const httplib::Headers& more = {}) {
    return from(client_.Get(path, with(more)));
  }
  HttpAnswer head(const std::string& path) { return from(client_.Head(path, with({}))); }
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& content_type = "application/json", const httplib::Headers& more = {}) {
    return from(client_.Post(path, with(more), body, content_type));
  }
  HttpAnswer put(const std::string& path, const std::string& body,
                 const std::string& content_type = "application/json") {
    return from(client_.Put(path, with({}), body, content_type));
  }
  HttpAnswer remove(const std::string& path) { return from(client_.Delete(path, with({}))); }

  // Appends to a stream whose name needs no percent-encoding.
  HttpAnswer append(const std::string& stream, const std::vector<std::string>& events,
                    std::string_view expected = "") {
    return post("/streams/" + stream + "/events", events_text(events, expected));
  }
  HttpAnswer append_all(const std::vector<std::string>& entries) {
    return post("/append", appends_text(entries));
  }

 private:
  httplib::Headers with(const httplib::Headers& more) const {
    httplib::Headers all = headers_;
    all.insert(more.begin(), more.end());
    return all;
  }
  static HttpAnswer from(const httplib::Result& result) {
    if (!result) return {};
    return {result->status, result->body, result->headers};
  }

  httplib::Client client_;
  httplib::Headers headers_;
};

}  // namespace cairn::test
