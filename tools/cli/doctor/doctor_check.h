#pragma once

#include <string>
#include <vector>

namespace cairn::cli {

enum class CheckVerdict { kOk, kWarning, kFailed };

const char* to_text(CheckVerdict verdict);  // "ok", "warning", "failed"

// One thing that `cairn doctor` has looked at. The text is one sentence with the number that matters and, unless it
// is ok, what to do.
struct Check {
  std::string name;
  CheckVerdict verdict = CheckVerdict::kOk;
  std::string text;
};

// Whether none has failed.
bool is_sound(const std::vector<Check>& checks);

// `subject`, how many checks there were, and each check on a line.
std::string checks_text(const std::string& subject, const std::vector<Check>& checks, bool colour);

// {"sound":…,KEY:subject,"checks":[{"name","verdict","text"}]}
std::string checks_json(const std::string& key, const std::string& subject, const std::vector<Check>& checks);

}  // namespace cairn::cli
