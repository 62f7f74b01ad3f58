#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::api {

// One message of a server-sent event stream.
struct SseMessage {
  std::string id;  // of this message, or of the last message before it that had one
  std::string data;
};

// Parses the lines of a text/event-stream (https://html.spec.whatwg.org, "Server-sent events"). Not
// thread-safe.
class SseParser {
 public:
  // Consumes one line. Returns a message when the line ends one that has data; else nullopt.
  std::optional<SseMessage> take(std::string_view line);

 private:
  std::string id_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace cairn::api
