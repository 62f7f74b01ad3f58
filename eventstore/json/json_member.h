#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// The value of the member `name` of a JSON object, if it is a string, in one pass and without parsing the
// rest. `scratch` holds the text if it has escapes; otherwise the view is into `object`. The name must be
// written without escapes. Of a text that is no JSON object it returns anything or nullopt, and reads only
// inside it.
std::optional<std::string_view> string_member(std::string_view object, std::string_view name,
                                              std::string& scratch);

}  // namespace cairn
