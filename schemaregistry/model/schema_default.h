#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "schemaregistry/model/schema.h"

namespace cairn {

// The limit of values in all defaults of a schema, including the defaults of fields that they omit. A few
// lines of nested records can expand to billions.
inline constexpr std::size_t kDefaultValuesMax = 100'000;

// The limit of their depth. Code that reads a default recurses as deep.
inline constexpr std::size_t kDefaultDepthMax = 100;

// A value may have to be tried with every type of a union, and its parts again. Only a malicious schema needs
// more attempts than this for all its defaults.
inline constexpr std::size_t kDefaultStepsMax = 1'000'000;

// Checks whether the defaults of a schema's fields are values of their types. Not thread-safe.
class DefaultChecker {
 public:
  // nullopt when the field's default fits, else a message that names the place in the default. REQUIRES: the
  // schema is complete; the field has a default.
  std::optional<std::string> check(const SchemaField& field);

 private:
  struct Outcome {
    std::size_t values = 0;  // that the default expands to
    std::size_t depth = 0;   // of the values nested in it
    std::optional<std::string> fault;
  };

  Outcome check_field(const SchemaField& field);
  Outcome check_value(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_parts(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_elements(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_record(const SchemaNode& type, std::string_view json, const std::string& path);

  // Adds a part of a value to the totals; false when they exceed a limit.
  static bool add_part(Outcome& whole, Outcome part);

  std::size_t steps_ = 0;
  std::size_t values_ = 0;  // that all defaults checked so far expand to
  std::size_t depth_ = 0;   // of the value that is being checked
  std::unordered_map<const SchemaField*, std::optional<Outcome>> known_;  // nullopt: being checked
};

}  // namespace cairn
