#include "api/serving/query_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "eventstore/base/names.h"
#include "eventstore/base/time_text.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

constexpr std::size_t kNameBytesMax = 200;

}  // namespace

std::optional<std::string> QueryReader::text(const std::string& name) {
  taken_.insert(name);
  const auto [begin, end] = query_.equal_range(name);
  if (begin == end) return std::nullopt;
  if (std::next(begin) != end) {
    fail(name, "is given more than once");
    return std::nullopt;
  }
  return begin->second;
}

std::optional<std::uint64_t> QueryReader::number(const std::string& name, std::uint64_t at_least,
                                                 std::uint64_t at_most) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = json_whole_number(*given);
  if (!value || *value < at_least || *value > at_most) {
    fail(name, fmt::format("must be a whole number from {} to {}", at_least, at_most));
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> QueryReader::filled_text(const std::string& name) {
  auto given = text(name);
  if (given && given->empty()) {
    fail(name, "is empty");
    return std::nullopt;
  }
  return given;
}

std::optional<Timestamp> QueryReader::time(const std::string& name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = parse_time(*given);
  if (!value) {
    fail(name,
         "must be in the format of RFC 3339, such as 2026-11-16T20:55:35.123456Z or "
         "2026-11-16T21:55:35+01:00");
  }
  return value;
}

std::optional<std::string> QueryReader::name(const std::string& name) {
  auto given = text(name);
  if (given && (given->empty() || given->size() > kNameBytesMax || !is_printable_name(*given))) {
    fail(name, fmt::format("must be a name of 1 to {} printable bytes", kNameBytesMax));
    return std::nullopt;
  }
  return given;
}

std::string QueryReader::word(const std::string& name, const std::vector<std::string>& words) {
  const auto given = text(name);
  if (!given) return words.front();
  if (std::find(words.begin(), words.end(), *given) == words.end()) {
    std::string choices;
    for (const std::string& word : words) choices += (choices.empty() ? "" : ", ") + word;
    fail(name, "must be one of: " + choices);
    return words.front();
  }
  return *given;
}

Shape QueryReader::shape(const std::string& name) {
  const auto given = text(name);
  if (!given || *given == "latest") return Shape::latest();
  if (*given == "stored") return Shape::stored();
  constexpr std::uint64_t kVersionMax = std::numeric_limits<std::int32_t>::max();
  const auto version = json_whole_number(*given);
  if (!version || *version == 0 || *version > kVersionMax) {
    fail(name, fmt::format("must be latest, stored, or the number of a version from 1 to {}", kVersionMax));
    return Shape::latest();
  }
  return Shape::of_version(static_cast<std::uint32_t>(*version));
}

std::vector<std::string> QueryReader::list(const std::string& name, std::size_t at_most) {
  taken_.insert(name);
  std::vector<std::string> values;
  std::set<std::string_view> seen;
  const auto [begin, end] = query_.equal_range(name);
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second.empty()) fail(name, "is empty");
    if (seen.insert(entry->second).second) values.push_back(entry->second);
  }
  if (values.size() > at_most) {
    fail(name, fmt::format("has {} values, and may have {} at most", values.size(), at_most));
  }
  return values;
}

Answered<void> QueryReader::finish() {
  for (const auto& [name, value] : query_) {
    if (!taken_.contains(name)) fail(name, "is not a parameter of this path");
  }
  return std::move(outcome_);
}

void QueryReader::fail(const std::string& name, const std::string& what) {
  if (outcome_) outcome_ = invalid_request("The parameter " + name + " " + what + ".", name);
}

}  // namespace cairn::api
