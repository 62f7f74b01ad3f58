#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "schemaregistry/model/schema.h"

namespace cairn {

// If the defaults of a schema spell out to more values than this, with those of the fields they leave out, it
// is refused. Nobody writes one, but a few lines of nested records can mean billions.
inline constexpr std::size_t kDefaultValuesMax = 100'000;

// The same for how deep its values lie in each other. What reads a default later recurses that deep.
inline constexpr std::size_t kDefaultDepthMax = 100;

// A value may have to be tried with every type of a union, and its parts again. Who needs more tries than
// this for all defaults of a schema does not mean well.
inline constexpr std::size_t kDefaultStepsMax = 1'000'000;

// Says whether the defaults of a schema's fields are values of their types. Belongs to one thread.
class DefaultChecker {
 public:
  // nullopt when the field's default fits, else what is wrong with it, as a sentence that names the place in
  // the default. REQUIRES: the schema is complete; the field has a default.
  std::optional<std::string> check(const SchemaField& field);

 private:
  struct Outcome {
    std::size_t values = 0;  // that the default spells out to
    std::size_t depth = 0;   // of those within this one
    std::optional<std::string> fault;
  };

  Outcome check_field(const SchemaField& field);
  Outcome check_value(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_parts(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_elements(const SchemaNode& type, std::string_view json, const std::string& path);
  Outcome check_record(const SchemaNode& type, std::string_view json, const std::string& path);

  // Takes a part of a value into account; false when that makes the whole too large.
  static bool add_part(Outcome& whole, Outcome part);

  std::size_t steps_ = 0;
  std::size_t values_ = 0;  // that all defaults asked about spell out to
  std::size_t depth_ = 0;   // of the value that is being checked
  std::unordered_map<const SchemaField*, std::optional<Outcome>> known_;  // nullopt: under way
};

}  // namespace cairn
