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
  std::vector<std::string> types;
  std::vector<std::string> categories;
};

// The path and query of the request.
std::string read_path(const ReadQuery& query);

}  // namespace cairn::cli
