#include "tools/cli/server/read_query.h"

#include "api/client/server_url.h"

namespace cairn::cli {

std::string read_path(const ReadQuery& query) {
  std::string path =
      query.stream.empty() ? "/events" : "/streams/" + api::percent_encoded(query.stream) + "/events";
  char separator = '?';
  const auto add = [&](const std::string& name, const std::string& value) {
    path += separator + name + "=" + api::percent_encoded(value);
    separator = '&';
  };
  if (query.from) add("from", std::to_string(*query.from));
  if (query.limit) add("limit", std::to_string(*query.limit));
  if (query.backward) add("direction", "backward");
  if (!query.shape.empty()) add("shape", query.shape);
  for (const std::string& type : query.types) add("type", type);
  for (const std::string& category : query.categories) add("category", category);
  for (const std::string& tag : query.tags) add("tag", tag);
  if (!query.correlation.empty()) add("correlation", query.correlation);
  if (!query.from_time.empty()) add("fromTime", query.from_time);
  if (!query.until_time.empty()) add("untilTime", query.until_time);
  if (query.without_system) add("system", "false");
  return path;
}

}  // namespace cairn::cli
