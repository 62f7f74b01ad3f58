#include "tests/docs/documents.h"

#include <algorithm>
#include <cctype>

#include "eventstore/base/file.h"

namespace cairn::test {

namespace fs = std::filesystem;

namespace {

// Not of the sources, whatever is in them.
bool is_foreign(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(".") || name == "build" || name == "node_modules" || name.starts_with("cairn-data");
}

}  // namespace

std::vector<fs::path> source_files(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    for (fs::recursive_directory_iterator it(fs::path(CAIRN_SOURCE_DIR) / folder), end; it != end; ++it) {
      if (it->is_directory() && is_foreign(it->path())) it.disable_recursion_pending();
      if (it->is_regular_file()) files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> document_names() {
  std::vector<std::string> names;
  for (const fs::path& file : source_files({""})) {
    if (file.extension() == ".md")
      names.push_back(file.lexically_relative(CAIRN_SOURCE_DIR).generic_string());
  }
  return names;
}

Markdown document(const std::string& name) {
  return Markdown::read(*read_file(fs::path(CAIRN_SOURCE_DIR) / name));
}

std::string test_name_of(const std::string& document) {
  std::string name = document;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

}  // namespace cairn::test
