#include "tests/docs/source_text.h"

#include <cctype>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/docs/documents.h"
#include "tests/docs/sample_output.h"

namespace cairn::test {

namespace {

// Without white space, and with the pieces of a string literal put together.
std::string compact(std::string_view text) {
  std::string rest;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    rest += c;
    for (const std::string_view seam : {")\"R\"(", "\"\""}) {
      if (rest.ends_with(seam)) rest.erase(rest.size() - seam.size());
    }
  }
  return rest;
}

struct CompactSource {
  std::filesystem::path file;
  std::string text;
};

const std::vector<CompactSource>& compact_sources() {
  static const std::vector<CompactSource> all = [] {
    std::vector<CompactSource> sources;
    for (const std::filesystem::path& file : source_files({""})) {
      auto text = read_file(file);
      if (file.extension() != ".md" && text.ok()) sources.push_back({file, compact(*text)});
    }
    return sources;
  }();
  return all;
}

}  // namespace

std::vector<std::string> examples_of_bytes(std::string_view text) {
  static const std::regex kLine(
      R"(^(?:[0-9a-f]{3}  )? *((?:[0-9a-f]{2})+(?:…)?(?: (?:[0-9a-f]{2})+(?:…)?)*)(?:  .*)?$)");
  std::vector<std::string> examples(1);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.empty()) {
      examples.emplace_back();
    } else if (std::regex_match(line, found, kLine)) {
      examples.back() += compact(found[1].str());
    } else {
      examples.back() += "(no bytes: " + line + ")";
    }
  }
  return examples;
}

std::optional<std::filesystem::path> source_with(std::string_view text) {
  const std::string wanted = "…" + compact(text) + "…";
  for (const CompactSource& source : compact_sources()) {
    if (matches(wanted, source.text)) return source.file;
  }
  return std::nullopt;
}

}  // namespace cairn::test
