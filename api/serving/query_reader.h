#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "eventstore/base/clock.h"
#include "upcasters/model/shape.h"

namespace cairn::api {

// Takes the parameters of a query one by one and remembers the first that is wrong. A parameter that the
// route does not take is wrong as well: a client that misspells `category` must not get all events. Not
// thread-safe.
class QueryReader {
 public:
  // REQUIRES: `request` outlives the reader.
  explicit QueryReader(const HttpRequest& request) : query_(request.query) {}

  // These return nullopt when the parameter is not given or wrong.
  std::optional<std::string> text(const std::string& name);
  std::optional<std::uint64_t> number(const std::string& name, std::uint64_t at_least, std::uint64_t at_most);

  // A text that is not empty.
  std::optional<std::string> filled_text(const std::string& name);

  // A time in the format of RFC 3339.
  std::optional<Timestamp> time(const std::string& name);

  // A name of 1 to 200 printable bytes.
  std::optional<std::string> name(const std::string& name);

  // One of `words`; the first one is the default.
  std::string word(const std::string& name, const std::vector<std::string>& words);

  // latest (the default), stored, or the number of a version.
  Shape shape(const std::string& name);

  // true or false (the default).
  bool flag(const std::string& name) { return word(name, {"false", "true"}) == "true"; }

  // A parameter that may be given several times: its values, each once, in the order of the query. Wrong when
  // there are more than `at_most`.
  std::vector<std::string> list(const std::string& name, std::size_t at_most);

  // Fails with the first parameter that is wrong or was not taken. Called once, after everything was taken.
  Answered<void> finish();

 private:
  void fail(const std::string& name, const std::string& what);

  const std::multimap<std::string, std::string>& query_;
  std::set<std::string> taken_;
  Answered<void> outcome_;
};

}  // namespace cairn::api
