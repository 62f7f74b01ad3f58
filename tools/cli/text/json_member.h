#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace cairn::cli {

// Members of a server's answer, which may be any JSON. `object` may be of any kind.

// "" when there is no such text.
template <typename Json>
std::string text_member(const Json& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

// 0 when there is no such number.
template <typename Json>
std::uint64_t number_member(const Json& object, const char* name) {
  if (!object.is_object()) return 0;
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->template get<std::uint64_t>() : 0;
}

// 0 when there is no such number; for numbers with a fraction.
template <typename Json>
double real_member(const Json& object, const char* name) {
  if (!object.is_object()) return 0;
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->template get<double>() : 0;
}

// Null when there is no such object.
template <typename Json>
Json object_member(const Json& object, const char* name) {
  if (!object.is_object()) return Json();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : Json();
}

// An empty list when there is no such list.
template <typename Json>
Json list_member(const Json& object, const char* name) {
  if (!object.is_object()) return Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : Json::array();
}

// Whether the member exists and is true.
template <typename Json>
bool is_true(const Json& object, const char* name) {
  return object.is_object() && object.value(name, Json()) == true;
}

// `value` as text; bytes that are not UTF-8 are replaced.
template <typename Json>
std::string dumped(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cairn::cli
