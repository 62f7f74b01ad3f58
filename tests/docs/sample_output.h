#pragma once

#include <string>
#include <string_view>

namespace cairn::test {

// Holds what a sample printed against what the document shows. Each returns "" when they agree, or the first
// difference in words.
//
// What another run may give otherwise is compared by its kind: a time in the form of RFC 3339 agrees with
// every other, and so does a UUID unless it stands in `given`, the commands that were run. For all else there
// is the ellipsis: in a text or a JSON string it stands for anything, as a JSON value for any value, as the
// last member or element for all others.

// `shown` and `printed` are sequences of JSON values.
std::string json_difference(std::string_view shown, std::string_view printed, std::string_view given);

// Runs of spaces count as one, and those at the end of a line as none. A line with nothing but an ellipsis
// stands for any number of lines.
std::string text_difference(std::string_view shown, std::string_view printed, std::string_view given);

// Whether `printed` contains `shown`; white space is ignored.
bool is_part_of(std::string_view shown, std::string_view printed);

// Whether `text` matches the pattern, in which an ellipsis matches anything.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace cairn::test
