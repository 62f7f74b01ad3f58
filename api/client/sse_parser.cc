#include "api/client/sse_parser.h"

#include <algorithm>
#include <utility>

namespace cairn::api {

std::optional<std::string> SseParser::take(std::string_view line) {
  if (line.empty()) {
    last_id_ = id_;
    if (!std::exchange(has_data_, false)) return std::nullopt;
    return std::exchange(data_, {});
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view field = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id") {
    id_ = value;
  } else if (field == "data") {
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  }
  return std::nullopt;
}

}  // namespace cairn::api
