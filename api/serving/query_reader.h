#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// Takes the parameters of a query one by one and remembers the first that is wrong. A parameter nobody took
// is wrong as well: who misspells `category` should not get everything.
class QueryReader {
 public:
  // REQUIRES: `request` outlives the reader.
  explicit QueryReader(const HttpRequest& request) : query_(request.query) {}

  // nullopt when it is not given, or wrong.
  std::optional<std::string> text(const std::string& name);
  std::optional<std::uint64_t> number(const std::string& name, std::uint64_t at_least, std::uint64_t at_most);

  // What people call something, of 1 to 200 printable bytes.
  std::optional<std::string> name(const std::string& name);

  // One of `words`, the first of them when it is not given.
  std::string word(const std::string& name, const std::vector<std::string>& words);

  // latest, which it is when it is not given, stored, or the number of a version.
  Shape shape(const std::string& name);

  // true or false, which it is when it is not given.
  bool flag(const std::string& name) { return word(name, {"false", "true"}) == "true"; }

  // A parameter that may be given several times.
  std::vector<std::string> list(const std::string& name);

  // What is wrong, once everything was taken.
  std::optional<Problem> problem();

 private:
  void fail(const std::string& name, const std::string& what);

  const std::multimap<std::string, std::string>& query_;
  std::set<std::string> taken_;
  std::optional<Problem> problem_;
};

}  // namespace cairn::api
