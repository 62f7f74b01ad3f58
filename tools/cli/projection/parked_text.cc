#include "tools/cli/projection/parked_text.h"

#include <algorithm>
#include <vector>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kPositionsShown = 20;

// An event whose key could not be known holds up its stream.
std::string key_text(const json& parked) {
  const bool by_stream = text_member(parked, "by") == "stream";
  return (by_stream ? "stream " : "") + text_member(parked, "key");
}

std::string positions_text(const json& entry) {
  const json positions = list_member(entry, "positions");
  const std::uint64_t events = number_member(entry, "events");
  std::string text;
  const std::size_t shown = std::min(positions.size(), kPositionsShown);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + dumped(positions[i]);
  return events > shown ? text + " and " + grouped(events - shown) + " more" : text;
}

}  // namespace

std::string parked_table(const json& keys) {
  std::vector<std::vector<std::string>> rows = {
      {"KEY", "GENERATION", "EVENTS", "POSITION", "RETRIES", "PARKED", "KIND", "ERROR"}};
  for (const json& parked : keys) {
    rows.push_back({key_text(parked), std::to_string(number_member(parked, "generation")),
                    grouped(number_member(parked, "events")),
                    std::to_string(number_member(parked, "position")),
                    grouped(number_member(parked, "retries")), text_member(parked, "parkedAt"),
                    text_member(parked, "kind"), text_member(parked, "message")});
  }
  return table_text(rows);
}

std::string parked_key_text(const json& answer) {
  std::string text;
  for (const json& entry : list_member(answer, "entries")) {
    const std::uint64_t line = number_member(entry, "line");
    if (!text.empty()) text += "\n";
    text += table_text(
        {{text_member(entry, "by") == "stream" ? "stream" : "key", text_member(answer, "key")},
         {"generation", std::to_string(number_member(entry, "generation"))},
         {"error", text_member(entry, "message") + (line > 0 ? " (line " + std::to_string(line) + ")" : "")},
         {"kind", text_member(entry, "kind")},
         {"position", std::to_string(number_member(entry, "position"))},
         {"parked", text_member(entry, "parkedAt")},
         {"retries", grouped(number_member(entry, "retries"))},
         {"waiting", positions_text(entry)}});
  }
  return text;
}

}  // namespace cairn::cli
