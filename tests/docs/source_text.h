#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::test {

// The bytes that a worked example of bytes shows, as digits: each line may begin with its offset (three
// digits) and end with a remark behind two spaces. An empty line goes to the next example.
//   000  43524e42 01000000   magic CRNB, format 1
std::vector<std::string> examples_of_bytes(std::string_view text);

// A file of the sources, outside of documents, that has this text in it, whatever white space there is and
// however long string literals are broken up. An ellipsis stands for anything.
std::optional<std::filesystem::path> source_with(std::string_view text);

}  // namespace cairn::test
