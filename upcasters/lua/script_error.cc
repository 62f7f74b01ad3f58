#include "upcasters/lua/script_error.h"

namespace cairn {

std::string ScriptError::text() const {
  std::string text = file;
  if (line > 0) text += (text.empty() ? "line " : ":") + std::to_string(line);
  if (!text.empty()) text += ": ";
  return text + message;
}

}  // namespace cairn
