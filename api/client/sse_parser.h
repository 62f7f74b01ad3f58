#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::api {

// One message of a server-sent event stream.
struct SseMessage {
  std::string id;  // of this message or the last one before it that had one
  std::string data;
};

// Puts the lines of a text/event-stream together (https://html.spec.whatwg.org, "Server-sent events").
class SseParser {
 public:
  // Takes one line; a message when the line ended one. Comments and messages without data give none.
  std::optional<SseMessage> take(std::string_view line);

 private:
  std::string id_;
  std::string data_;
  bool has_data_ = false;
};

}  // namespace cairn::api
