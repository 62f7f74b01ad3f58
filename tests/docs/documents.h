#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/docs/markdown.h"

namespace cairn::test {

// Every .md file of the sources, by its path from their top and in order. A new one is there by itself.
std::vector<std::string> document_names();

// REQUIRES: `name` is one of them.
Markdown document(const std::string& name);

// The name of a test for it: docs_http_md.
std::string test_name_of(const std::string& document);

// All source files below these folders, without build output.
std::vector<std::filesystem::path> source_files(const std::vector<std::string>& folders);

}  // namespace cairn::test
