#include "tools/cli/schema/check_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/schema/github_annotation.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

std::string version_text(const CheckedSchema& schema) {
  if (!schema.version || *schema.version == 0) return "";
  return "version " + std::to_string(*schema.version);
}

// "incompatible with version 2 (BACKWARD)"
std::string verdict_text(const CheckedSchema& schema) {
  if (schema.verdict == Verdict::kUpcast) {
    return "incompatible, but " + schema.upcaster->name +
           " brings events over (tried on history when it is registered)";
  }
  std::string text(to_string(schema.verdict));
  if (schema.verdict != Verdict::kIncompatible) return text;
  if (const std::string version = version_text(schema); !version.empty()) text += " with " + version;
  if (!schema.level.empty()) text += " (" + schema.level + ")";
  return text;
}

std::string summary(const CheckOutput& output) {
  std::string text =
      std::to_string(output.schemas.size()) + (output.schemas.size() == 1 ? " schema" : " schemas");
  for (const Verdict verdict : {Verdict::kNew, Verdict::kUnchanged, Verdict::kCompatible, Verdict::kUpcast,
                                Verdict::kIncompatible, Verdict::kInvalid}) {
    const auto count = std::count_if(output.schemas.begin(), output.schemas.end(),
                                     [=](const CheckedSchema& schema) { return schema.verdict == verdict; });
    if (count == 0) continue;
    text += text.find(':') == std::string::npos ? ": " : ", ";
    text += std::to_string(count) + " " + std::string(to_string(verdict));
  }
  return text;
}

// The error of the upcaster; nullptr when it is usable or there is none.
const ScriptError* upcaster_error(const CheckedSchema& schema) {
  return schema.upcaster && schema.upcaster->error ? &*schema.upcaster->error : nullptr;
}

// The reasons for a refusal, as text.
std::string refusal_lines(const CheckedSchema& schema, bool colour) {
  std::string text;
  const auto head = [&](const std::string& line) {
    text += "\n" + coloured(on_one_line(line), Colour::kRed, colour) + "\n";
  };
  if (is_refused(schema.verdict)) {
    head(schema.path + " is " + verdict_text(schema));
    for (const CompatibilityReason& reason : schema.reasons) {
      text += "  " + on_one_line(reason_text(reason)) + "\n";
    }
  }
  if (const ScriptError* error = upcaster_error(schema)) {
    head(schema.upcaster->path + " cannot be used");
    text += "  " + on_one_line(error->text()) + "\n";
  }
  return text;
}

ordered_json upcaster_json(const CheckedSchema& schema) {
  if (!schema.upcaster) return nullptr;
  ordered_json entry = {{"file", schema.upcaster->path}, {"error", nullptr}};
  if (const ScriptError* error = upcaster_error(schema)) {
    entry["error"] = {{"line", error->line}, {"message", error->message}};
  }
  return entry;
}

}  // namespace

std::size_t CheckOutput::refused() const {
  return static_cast<std::size_t>(std::count_if(
      schemas.begin(), schemas.end(), [](const CheckedSchema& schema) { return schema.is_refused(); }));
}

Result<CheckOutput> check_all(const SchemaFolder& folder, SchemaHistory& history) {
  CheckOutput output{.schemas = {}, .notes = folder.notes};
  SchemaChecker checker(history);
  for (const SchemaFile& file : folder.files) {
    CAIRN_TRY(CheckedSchema checked, checker.check(file));
    output.schemas.push_back(std::move(checked));
  }
  return output;
}

std::string as_table(const CheckOutput& output, bool colour) {
  std::vector<std::vector<std::string>> rows = {{"SUBJECT", "FILE", "VERDICT"}};
  for (const CheckedSchema& schema : output.schemas) {
    std::string verdict = verdict_text(schema);
    if (schema.verdict == Verdict::kUnchanged && schema.version.value_or(0) > 0) {
      verdict += ", " + version_text(schema);
    }
    rows.push_back({schema.subject, schema.path, std::move(verdict)});
  }
  std::string text = table_text(rows);
  for (const CheckedSchema& schema : output.schemas) text += refusal_lines(schema, colour);
  const bool good = output.refused() == 0;
  return text + "\n" + coloured(summary(output), good ? Colour::kGreen : Colour::kRed, colour) + "\n";
}

std::string as_json(const CheckOutput& output) {
  ordered_json schemas = ordered_json::array();
  for (const CheckedSchema& schema : output.schemas) {
    ordered_json reasons = ordered_json::array();
    for (const CompatibilityReason& reason : schema.reasons) {
      reasons.push_back({{"kind", reason.kind}, {"path", reason.path}, {"message", reason.text}});
    }
    ordered_json entry = {
        {"subject", schema.subject}, {"file", schema.path}, {"verdict", to_string(schema.verdict)}};
    entry["version"] = schema.version.value_or(0) > 0 ? ordered_json(*schema.version) : ordered_json();
    entry["level"] = schema.level.empty() ? ordered_json() : ordered_json(schema.level);
    entry["reasons"] = std::move(reasons);
    entry["upcaster"] = upcaster_json(schema);
    schemas.push_back(std::move(entry));
  }
  const ordered_json all = {
      {"schemas", std::move(schemas)}, {"notes", output.notes}, {"refused", output.refused()}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string as_github(const CheckOutput& output) {
  std::string text;
  for (const CheckedSchema& schema : output.schemas) {
    if (const ScriptError* error = upcaster_error(schema)) {
      text +=
          github_annotation("error",
                            {{"file", schema.upcaster->path},
                             {"line", std::to_string(std::max(error->line, 1))},
                             {"title", schema.upcaster->name + " of " + schema.subject + " cannot be used"}},
                            error->message);
    }
    if (!is_refused(schema.verdict)) {
      // The verdict comes first: GitHub could read a line that begins with a file's name as a command.
      text += on_one_line(verdict_text(schema) + ": " + schema.subject + " (" + schema.path + ")") + "\n";
      continue;
    }
    std::string reasons;
    for (const CompatibilityReason& reason : schema.reasons) {
      reasons += (reasons.empty() ? "" : "\n") + reason_text(reason);
    }
    text += github_annotation(
        "error",
        {{"file", schema.path}, {"line", "1"}, {"title", schema.subject + " is " + verdict_text(schema)}},
        reasons);
  }
  for (const std::string& note : output.notes) text += github_annotation("warning", {}, note);
  return text + summary(output) + "\n";
}

}  // namespace cairn::cli
