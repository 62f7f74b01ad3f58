#include "api/http/feed_target.h"

#include <set>
#include <utility>

#include "api/client/server_url.h"
#include "api/http/router.h"

namespace cairn::api {

std::optional<std::string> feed_target(std::string_view path, const QueryParameters& query) {
  const auto segments = path_segments(path);
  if (!segments) return std::nullopt;
  std::string target;
  for (const std::string& segment : *segments) target.append("/").append(percent_encoded(segment));
  const std::set<std::pair<std::string, std::string>> sorted(query.begin(), query.end());
  char separator = '?';
  for (const auto& [name, value] : sorted) {
    if (name == kTicketParameter) continue;
    target += std::exchange(separator, '&');
    target.append(percent_encoded(name)).append("=").append(percent_encoded(value));
  }
  return target;
}

}  // namespace cairn::api
