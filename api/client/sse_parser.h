#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::api {

// Parses the lines of a text/event-stream (https://html.spec.whatwg.org, "Server-sent events"). Not
// thread-safe.
class SseParser {
 public:
  // Consumes one line. Returns the data of the message that the line ends; nullopt when it ends none, or one
  // without data.
  std::optional<std::string> take(std::string_view line);

  // With which Last-Event-ID a client resumes that has handled every message so far: the id of the last
  // complete block that had one, with data or without; empty when there was none.
  const std::string& last_id() const { return last_id_; }

 private:
  std::string id_;
  std::string last_id_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace cairn::api
