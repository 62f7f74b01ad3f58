// A type is defined once in its namespace. Two definitions of one name in two sources are undefined behaviour
// that neither the compiler nor the linker has to report (the one-definition rule), and the folders share the
// namespace `cairn`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The types that a source defines at the level of a named namespace, with their namespaces. Those in anonymous
// namespaces belong to their source. Relies on our format: what stands at a namespace's level begins its line.
std::vector<std::string> types_defined_in(const std::string& text) {
  static const std::regex kOpens(R"(^(?:inline )?namespace ?([\w:]*) ?\{)");
  static const std::regex kCloses(R"(^\}  // namespace)");
  static const std::regex kDefines(
      R"(^(?:template <.*> )?(?:class|struct|union|enum class|enum) (?:alignas\([^)]*\) |\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;]*)?(?: \{.*|$))");
  std::vector<std::string> namespaces, types;
  std::istringstream lines(text);
  std::string line;
  std::smatch found;
  while (std::getline(lines, line)) {
    if (std::regex_search(line, found, kOpens)) {
      namespaces.push_back(found[1]);
    } else if (std::regex_search(line, kCloses)) {
      if (!namespaces.empty()) namespaces.pop_back();
    } else if (std::regex_match(line, found, kDefines)) {
      std::string name;
      bool own = false;
      for (const std::string& space : namespaces) {
        own = own || space.empty();
        name += space + "::";
      }
      if (!own) types.push_back(name + found[1].str());
    }
  }
  return types;
}

// Every name that is defined more than once, as "cairn::Name: a.h, b.h".
std::vector<std::string> defined_twice(const std::map<std::string, std::string>& text_of_path) {
  std::map<std::string, std::vector<std::string>> places;
  for (const auto& [path, text] : text_of_path) {
    for (const std::string& type : types_defined_in(text)) places[type].push_back(path);
  }
  std::vector<std::string> twice;
  for (const auto& [type, paths] : places) {
    if (paths.size() < 2) continue;
    std::string line = type + ":";
    for (const std::string& path : paths) line += " " + path;
    twice.push_back(line);
  }
  return twice;
}

// The sources of the folders that end up in one program.
std::map<std::string, std::string> sources_of(const std::vector<std::string_view>& folders) {
  const fs::path root(CAIRN_SOURCE_DIR);
  std::map<std::string, std::string> text_of_path;
  for (const std::string_view folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path extension = entry.path().extension();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      text_of_path[entry.path().lexically_relative(root).generic_string()] = text.str();
    }
  }
  return text_of_path;
}

TEST(OneDefinitionTest, NoTypeIsDefinedTwice) {
  const auto sources =
      sources_of({"eventstore", "schemaregistry", "upcasters", "projections", "api", "tools"});
  ASSERT_GT(sources.size(), 300u);
  EXPECT_THAT(defined_twice(sources), IsEmpty());
}

// The rest plants definitions, to show that the check above would see them.

TEST(OneDefinitionTest, TheSameNameInTwoFilesIsFound) {
  EXPECT_THAT(defined_twice({{"a.h", "namespace cairn {\nstruct Generation {\n};\n}  // namespace cairn\n"},
                             {"b.h", "namespace cairn {\nclass Generation final : Base {\n};\n"},
                             {"c.h", "namespace cairn::api {\nclass Generation {\n};\n"}}),
              ElementsAre("cairn::Generation: a.h b.h"));
}

TEST(OneDefinitionTest, EveryWayToDefineATypeIsSeen) {
  EXPECT_THAT(types_defined_in("namespace cairn {\n"
                               "enum class Medium { kMemory };\n"
                               "class alignas(kCacheLineBytes) Wait {\n};\n"
                               "class [[nodiscard]] Result {\n};\n"
                               "template <typename T> struct Box {\n};\n"
                               "union Both {\n};\n"
                               "class Longer\n    : public Base {\n};\n"),
              ElementsAre("cairn::Medium", "cairn::Wait", "cairn::Result", "cairn::Box", "cairn::Both",
                          "cairn::Longer"));
}

TEST(OneDefinitionTest, DeclarationsMembersAndAnonymousTypesDoNotCount) {
  EXPECT_THAT(types_defined_in("namespace cairn {\n"
                               "class Later;\n"
                               "struct Later::Impl {\n};\n"
                               "template <> struct Box<int> {\n};\n"
                               "namespace {\nstruct Own {\n};\n}  // namespace\n"
                               "}  // namespace cairn\n"),
              IsEmpty());
}

}  // namespace
