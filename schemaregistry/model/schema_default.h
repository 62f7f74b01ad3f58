#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// The limit of values in all defaults of a schema, including the defaults of fields that they omit. A few
// lines of nested records can expand to billions.
inline constexpr std::size_t kDefaultValuesMax = 100'000;

// The limit of their depth. Code that reads a default recurses as deep.
inline constexpr std::size_t kDefaultDepthMax = 100;

// A step is a value that is tried with a type, a field or symbol that is looked at, or 64 bytes of text. A
// value may have to be tried with every type of a union, and its parts again. Only a malicious schema needs
// more steps than this for all its defaults.
inline constexpr std::size_t kDefaultStepsMax = 1'000'000;

// Checks whether the defaults of a schema's fields are values of their types. Not thread-safe.
class DefaultChecker {
 public:
  // The steps are charged to `budget`, unless that is nullptr. REQUIRES: it outlives the checker.
  explicit DefaultChecker(WorkBudget* budget = nullptr) : budget_(budget) {}

  // nullopt when the field's default fits, else a message that names the place in the default; some message
  // when the budget has ended. REQUIRES: the schema is complete; the field has a default.
  std::optional<std::string> check(const SchemaField& field);

  // The work so far; see kDefaultStepsMax.
  std::size_t steps() const { return steps_; }

 private:
  // The path from the default to a value in it. A linked list on the stack, so that it costs nothing until a
  // fault is reported.
  struct Place {
    const Place* up = nullptr;
    std::string_view name;
    std::size_t index = 0;
    bool is_index = false;
  };
  struct Outcome {
    std::size_t values = 0;  // that the default expands to
    std::size_t depth = 0;   // of the values nested in it
    std::optional<std::string> fault;
  };

  Outcome check_field(const SchemaField& field);
  Outcome check_value(const SchemaNode& type, std::string_view json, const Place& place);
  Outcome check_parts(const SchemaNode& type, std::string_view json, const Place& place);
  Outcome check_elements(const SchemaNode& type, std::string_view json, const Place& place);
  Outcome check_record(const SchemaNode& type, std::string_view json, const Place& place);

  // Charges the steps since the last call; false when no more may be done.
  bool charge();
  bool is_over() const { return steps_ > kDefaultStepsMax || (budget_ != nullptr && budget_->has_ended()); }

  // Whether a scalar value fits.
  bool fits(const SchemaNode& type, std::string_view json);
  bool is_symbol(const SchemaNode& type, std::string_view text);

  static std::string described(const Place& place);

  // A fault, with its text unless it is discarded because another type of a union is tried.
  template <typename Text>
  Outcome refused(Text text) const {
    return {.fault = trials_ > 0 ? std::string() : text()};
  }

  // Adds a part of a value to the totals; false when they exceed a limit.
  static bool add_part(Outcome& whole, Outcome part);

  WorkBudget* const budget_;
  std::size_t steps_ = 0;
  std::size_t charged_ = 0;  // of these, to the budget
  std::size_t trials_ = 0;   // unions around the value whose other types are still to be tried
  std::size_t values_ = 0;   // that all defaults checked so far expand to
  std::size_t depth_ = 0;    // of the value that is being checked
  std::unordered_map<const SchemaField*, std::optional<Outcome>> known_;  // nullopt: being checked
  std::unordered_map<const SchemaNode*, std::unordered_set<std::string_view>> symbols_;  // of enums
};

}  // namespace cairn
