#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

// Which events to read from a server.
struct ReadQuery {
  std::string stream;                 // "" = all streams
  std::optional<std::uint64_t> from;  // a version of the stream, or a position when it is all of them
  std::optional<std::uint64_t> limit;
  bool backward = false;
  std::string shape;  // "" = the server's choice
  // Of all streams:
  std::vector<std::string> types;
  std::vector<std::string> categories;
  std::vector<std::string> tags;
  std::string correlation;  // "" = any
  std::string from_time;    // RFC 3339; "" = none
  std::string until_time;
  bool without_system = false;

  // Whether it has a member that only a query of all streams may have.
  bool filters() const {
    return !types.empty() || !categories.empty() || !tags.empty() || !correlation.empty() ||
           !from_time.empty() || !until_time.empty() || without_system;
  }
};

// The path and query of the request.
std::string read_path(const ReadQuery& query);

}  // namespace cairn::cli
