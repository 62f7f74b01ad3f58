#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/schema/compatibility_reason.h"
#include "tools/cli/schema/parsed_schema.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

enum class Verdict {
  kNew,           // the first version of its subject
  kUnchanged,     // already registered
  kCompatible,    // may become the next version
  kUpcast,        // may become it with its upcaster, if that succeeds on all stored events
  kIncompatible,  // may not
  kInvalid,       // not a schema, or a reference is missing
};

// "new", "unchanged", …
std::string_view to_string(Verdict verdict);

constexpr bool is_refused(Verdict verdict) {
  return verdict == Verdict::kIncompatible || verdict == Verdict::kInvalid;
}

// The result for one file.
struct CheckedSchema {
  std::string subject;
  std::string path;
  Verdict verdict = Verdict::kNew;
  std::optional<int> version;  // kUnchanged: this one; kIncompatible, kUpcast: the one it clashes with
  std::string level;           // kIncompatible, kUpcast: the level; "" = unknown
  std::vector<CompatibilityReason> reasons;  // when it is refused or kUpcast

  struct Upcaster {
    std::string path;
    std::string name;                  // "1-2.lua"
    std::optional<ScriptError> error;  // why it cannot be used
  };
  std::optional<Upcaster> upcaster = {};  // that leads to it

  // Whether the schema or its upcaster is refused.
  bool is_refused() const { return cli::is_refused(verdict) || (upcaster && upcaster->error); }
};

// Checks schemas one after the other, each as if the accepted ones before it had been registered.
class SchemaChecker {
 public:
  // REQUIRES: the history outlives this.
  explicit SchemaChecker(SchemaHistory& history) : history_(history) {}

  // Fails when the history cannot be read.
  Result<CheckedSchema> check(const SchemaFile& file);

 private:
  using Messages = std::vector<std::string>;

  struct SchemaVerdict {
    Verdict verdict = Verdict::kNew;
    std::optional<int> version;
    Messages messages;
  };

  static CheckedSchema::Upcaster check_upcaster(const SchemaFile& file, Verdict verdict);
  Result<SchemaVerdict> judge(const SchemaFile& file, const ParsedSchema& parsed, bool rests_on_pending);
  Result<std::optional<SchemaVersion>> find_version(const SchemaReference& reference, bool& rests_on_pending);
  Result<std::optional<Messages>> check_history(const SchemaFile& file, const ParsedSchema& parsed,
                                                bool rests_on_pending);

  SchemaHistory& history_;
  // The accepted schemas so far, by subject: as text and parsed.
  std::map<std::string, std::vector<SchemaFile>> pending_files_;
  std::map<std::string, std::vector<ParsedSchema>> pending_;
};

}  // namespace cairn::cli
