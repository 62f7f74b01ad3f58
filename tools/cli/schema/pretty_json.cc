#include "tools/cli/schema/pretty_json.h"

#include <cstddef>

#include "eventstore/json/json_text.h"

namespace cairn::cli {

std::string pretty_json(std::string_view json) {
  std::string compact;
  append_compact_json(compact, json);
  std::string pretty;
  std::size_t depth = 0;
  bool in_string = false;
  const auto new_line = [&] { pretty += "\n" + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < compact.size(); ++i) {
    const char c = compact[i];
    if (in_string) {
      pretty += c;
      if (c == '\\') pretty += compact[++i];
      in_string = c != '"';
    } else if (c == '"') {
      pretty += c;
      in_string = true;
    } else if ((c == '{' || c == '[') && compact[i + 1] != '}' && compact[i + 1] != ']') {
      pretty += c;
      ++depth;
      new_line();
    } else if ((c == '}' || c == ']') && compact[i - 1] != '{' && compact[i - 1] != '[') {
      --depth;
      new_line();
      pretty += c;
    } else if (c == ',') {
      pretty += c;
      new_line();
    } else if (c == ':') {
      pretty += ": ";
    } else {
      pretty += c;
    }
  }
  return pretty;
}

}  // namespace cairn::cli
