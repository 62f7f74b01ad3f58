#include "api/http/access_record.h"

#include <algorithm>

#include "api/http/router.h"

namespace cairn::api {

namespace {

constexpr std::string_view kSecretParameter = "ticket";
constexpr std::string_view kLeftOut = "...";

}  // namespace

std::string logged_target(std::string_view target) {
  const std::size_t path_end = std::min(target.find('?'), target.size());
  std::string logged(target.substr(0, path_end));
  std::string_view query = target.substr(path_end);
  while (!query.empty() && logged.size() <= kLoggedTargetBytesMax) {
    logged += query.front();  // '?' or '&'
    query.remove_prefix(1);
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(pair.size());
    const auto parsed = parse_query(pair);
    if (!parsed) {
      logged += kLeftOut;
      break;
    }
    if (parsed->contains(std::string(kSecretParameter))) {
      logged += pair.substr(0, pair.find('='));
      logged += '=';
      logged += kLeftOut;
    } else {
      logged += pair;
    }
  }
  if (logged.size() > kLoggedTargetBytesMax) {
    logged.resize(kLoggedTargetBytesMax);
    logged += kLeftOut;
  }
  return logged;
}

}  // namespace cairn::api
