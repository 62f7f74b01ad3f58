#include "tools/cli/schema/schema_checker.h"

#include <utility>

#include "tools/cli/schema/registration_order.h"

namespace cairn::cli {

namespace {

bool is_transitive(CompatibilityLevel level) { return to_string(level).ends_with("_TRANSITIVE"); }

// Whether the error is about the schema, not about reading the history.
bool is_about_schema(const Error& error) {
  return error.code == Errc::kInvalidArgument || error.code == Errc::kTooLarge;
}

// Messages of the parser begin with the place: "/fields/2/type: …".
CompatibilityReason invalid_reason(const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (!message.starts_with('/') || colon == std::string::npos)
    return {.kind = "", .path = "", .text = message};
  return {.kind = "", .path = message.substr(0, colon), .text = message.substr(colon + 2)};
}

Error at_file(Error error, const SchemaFile& file) {
  if (error.code == Errc::kFailedPrecondition) error.message = file.path + ": " + error.message;
  return error;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNew:
      return "new";
    case Verdict::kUnchanged:
      return "unchanged";
    case Verdict::kCompatible:
      return "compatible";
    case Verdict::kUpcast:
      return "upcast";
    case Verdict::kIncompatible:
      return "incompatible";
    case Verdict::kInvalid:
      return "invalid";
  }
  return "unknown";
}

Result<CheckedSchema> SchemaChecker::check(const SchemaFile& file) {
  CheckedSchema checked{.subject = file.subject, .path = file.path};
  bool rests_on_pending = false;
  auto parsed = parse_version(
      {.version = file.number, .text = file.text, .references = file.references},
      [&](const SchemaReference& reference) { return find_version(reference, rests_on_pending); });
  if (!parsed) {
    if (!is_about_schema(parsed.error())) return at_file(parsed.error(), file);
    checked.verdict = Verdict::kInvalid;
    checked.reasons = {invalid_reason(parsed.error().message)};
    if (file.upcaster) checked.upcaster = check_upcaster(file, checked.verdict);
    return checked;
  }
  auto judged = judge(file, *parsed, rests_on_pending);
  if (!judged) return at_file(judged.error(), file);
  checked.verdict = judged->verdict;
  checked.version = judged->version;
  if (file.upcaster) checked.upcaster = check_upcaster(file, checked.verdict);
  if (checked.verdict == Verdict::kIncompatible) {
    if (checked.upcaster && !checked.upcaster->error) checked.verdict = Verdict::kUpcast;
    CompatibilityReport report = parse_compatibility_messages(judged->messages);
    checked.version = report.old_version;
    checked.level = std::move(report.level);
    checked.reasons = std::move(report.reasons);
  }
  if (checked.verdict != Verdict::kUnchanged && checked.verdict != Verdict::kIncompatible) {
    pending_files_[file.subject].push_back(file);
    pending_[file.subject].push_back(*std::move(parsed));
  }
  return checked;
}

CheckedSchema::Upcaster SchemaChecker::check_upcaster(const SchemaFile& file, Verdict verdict) {
  CheckedSchema::Upcaster upcaster{.path = file.upcaster->path, .name = file.upcaster->name(), .error = {}};
  const auto loaded = load_upcaster_for(file.subject, *file.upcaster);
  if (!loaded) {
    upcaster.error = loaded.error();
  } else if (verdict == Verdict::kNew) {
    upcaster.error = ScriptError{ScriptFault::kError,
                                 "it leads from version " + std::to_string(loaded->from) +
                                     ", but there is no version before " + file.path,
                                 upcaster.path, 0};
  }
  return upcaster;
}

Result<SchemaChecker::SchemaVerdict> SchemaChecker::judge(const SchemaFile& file, const ParsedSchema& parsed,
                                                          bool rests_on_pending) {
  const std::vector<ParsedSchema>& before = pending_[file.subject];
  for (const ParsedSchema& other : before) {
    if (other.is_same(parsed)) return SchemaVerdict{Verdict::kUnchanged, other.version, {}};
  }
  if (!rests_on_pending) {
    CAIRN_TRY(const auto known, history_.find(file));
    if (known) return SchemaVerdict{Verdict::kUnchanged, *known, {}};
  }
  if (!before.empty()) {
    CAIRN_TRY(const CompatibilityLevel level, history_.level(file.subject));
    Messages messages = check_against(level, parsed.schema, before);
    if (!messages.empty()) return SchemaVerdict{Verdict::kIncompatible, std::nullopt, std::move(messages)};
    // The previous file will be the latest version by then; a level that is not transitive compares only with
    // it.
    if (!is_transitive(level)) return SchemaVerdict{Verdict::kCompatible, std::nullopt, {}};
  }
  CAIRN_TRY(auto messages, check_history(file, parsed, rests_on_pending));
  if (!messages)
    return SchemaVerdict{before.empty() ? Verdict::kNew : Verdict::kCompatible, std::nullopt, {}};
  if (messages->empty()) return SchemaVerdict{Verdict::kCompatible, std::nullopt, {}};
  return SchemaVerdict{Verdict::kIncompatible, std::nullopt, *std::move(messages)};
}

Result<std::optional<SchemaVersion>> SchemaChecker::find_version(const SchemaReference& reference,
                                                                 bool& rests_on_pending) {
  const auto pending = pending_files_.find(reference.subject);
  if (pending == pending_files_.end() || reference.version != SchemaReference::kLatest) {
    CAIRN_TRY(auto found, history_.version(reference));
    if (found || pending == pending_files_.end()) return found;
  }
  for (auto file = pending->second.rbegin(); file != pending->second.rend(); ++file) {
    if (!may_mean(reference, *file)) continue;
    rests_on_pending = true;
    return std::optional(SchemaVersion{file->number, file->text, file->references});
  }
  return std::optional<SchemaVersion>();
}

Result<std::optional<SchemaChecker::Messages>> SchemaChecker::check_history(const SchemaFile& file,
                                                                            const ParsedSchema& parsed,
                                                                            bool rests_on_pending) {
  if (!rests_on_pending) return history_.check(file);
  // A server cannot check a schema that refers to schemas it does not have yet, so it is checked here.
  CAIRN_TRY(const auto versions, history_.versions(file.subject));
  if (versions.empty()) return std::optional<Messages>();
  const FindVersion find = [this](const SchemaReference& reference) { return history_.version(reference); };
  std::vector<ParsedSchema> oldest_first;
  for (const SchemaVersion& version : versions) {
    CAIRN_TRY(ParsedSchema old, parse_version(version, find));
    oldest_first.push_back(std::move(old));
  }
  CAIRN_TRY(const CompatibilityLevel level, history_.level(file.subject));
  return std::optional(check_against(level, parsed.schema, oldest_first));
}

}  // namespace cairn::cli
