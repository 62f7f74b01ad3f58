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
  kUnchanged,     // there already
  kCompatible,    // may become the next version
  kUpcast,        // may become it together with its upcaster, if that never fails on history
  kIncompatible,  // may not
  kInvalid,       // no schema at all, or what it refers to is missing
};

// "new", "unchanged", …
std::string_view to_string(Verdict verdict);

constexpr bool is_refused(Verdict verdict) {
  return verdict == Verdict::kIncompatible || verdict == Verdict::kInvalid;
}

// What became of one file.
struct CheckedSchema {
  std::string subject;
  std::string path;
  Verdict verdict = Verdict::kNew;
  std::optional<int> version;  // kUnchanged: which it is; kIncompatible, kUpcast: with which it clashes
  std::string level;           // kIncompatible, kUpcast: what was asked; "" = not said
  std::vector<CompatibilityReason> reasons;  // when it is refused or kUpcast

  struct Upcaster {
    std::string path;
    std::string name;                  // "1-2.lua"
    std::optional<ScriptError> error;  // why it cannot be used
  };
  std::optional<Upcaster> upcaster = {};  // that leads to it

  // Whether it, or its upcaster, keeps it out.
  bool is_refused() const { return cli::is_refused(verdict) || (upcaster && upcaster->error); }
};

// Judges schemas one after the other, each as if those before it that were not refused had been registered.
class SchemaChecker {
 public:
  // REQUIRES: the history outlives this.
  explicit SchemaChecker(SchemaHistory& history) : history_(history) {}

  // An error says that the history could not be asked.
  Result<CheckedSchema> check(const SchemaFile& file);

 private:
  using Messages = std::vector<std::string>;

  struct Judged {
    Verdict verdict = Verdict::kNew;
    std::optional<int> version;
    Messages messages;
  };

  static CheckedSchema::Upcaster check_upcaster(const SchemaFile& file, Verdict verdict);
  Result<Judged> judge(const SchemaFile& file, const ParsedSchema& parsed, bool rests_on_pending);
  Result<std::optional<SchemaVersion>> find_version(const SchemaReference& reference, bool& rests_on_pending);
  Result<std::optional<Messages>> check_history(const SchemaFile& file, const ParsedSchema& parsed,
                                                bool rests_on_pending);

  SchemaHistory& history_;
  // What would be registered by now, by subject: as it was written, and parsed.
  std::map<std::string, std::vector<SchemaFile>> pending_files_;
  std::map<std::string, std::vector<ParsedSchema>> pending_;
};

}  // namespace cairn::cli
