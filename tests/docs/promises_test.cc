// docs/promises.md has each promise of README.md and docs/architecture.md, with tests that are in the sources.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "eventstore/base/file.h"
#include "tests/docs/documents.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string promises_text(const std::string& name) {
  auto text = read_file(std::filesystem::path(CAIRN_SOURCE_DIR) / name);
  EXPECT_TRUE(text.ok()) << name;
  return text.ok() ? *text : "";
}

// What stands between a heading and the next one.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("\n## " + heading + "\n");
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find("\n## ", begin + 1);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

// The cells of each row of the tables in `text`, without their headings.
std::vector<std::vector<std::string>> table_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  bool in_body = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) {
      in_body = false;
    } else if (line.starts_with("|---")) {
      in_body = true;
    } else if (in_body) {
      static const std::regex kCell(R"(\|\s*([^|]*?)\s*(?=\|))");
      std::vector<std::string> cells;
      for (std::sregex_iterator it(line.begin(), line.end(), kCell), end; it != end; ++it)
        cells.push_back((*it)[1]);
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

std::set<std::string> first_cells(const std::string& text) {
  std::set<std::string> cells;
  for (const auto& row : table_rows(text)) cells.insert(row.at(0));
  return cells;
}

// The sentences of a list, up to the first paragraph behind it.
std::set<std::string> sentences_of_list(const std::string& text) {
  std::string items;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("- ") || (line.starts_with("  ") && !items.empty())) {
      items += line.substr(2) + " ";
    } else if (!line.empty() && !items.empty()) {
      break;
    }
  }
  std::set<std::string> sentences;
  for (std::size_t begin = 0, end = 0; (end = items.find(". ", begin)) != std::string::npos; begin = end + 2)
    sentences.insert(items.substr(begin, end + 1 - begin));
  return sentences;
}

std::vector<std::string> tests_named_in(const std::string& cell) {
  static const std::regex kTest(R"(`(\w+\.\w+)`)");
  std::vector<std::string> names;
  for (std::sregex_iterator it(cell.begin(), cell.end(), kTest), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}

const std::set<std::string>& tests_in_the_sources() {
  static const std::set<std::string> kTests = [] {
    static const std::regex kTest(R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    std::set<std::string> names;
    for (const auto& file : source_files({"tests"})) {
      const std::string text = *read_file(file);
      for (std::sregex_iterator it(text.begin(), text.end(), kTest), end; it != end; ++it)
        names.insert((*it)[1].str() + "." + (*it)[2].str());
    }
    return names;
  }();
  return kTests;
}

// Rows of `page` that name no test, or one that is not there.
std::vector<std::string> unheld(const std::string& page) {
  std::vector<std::string> found;
  for (const auto& row : table_rows(page)) {
    const auto names = row.size() < 2 ? std::vector<std::string>() : tests_named_in(row[1]);
    if (names.empty()) found.push_back(row.at(0) + ": no test");
    for (const std::string& name : names) {
      if (!tests_in_the_sources().contains(name)) found.push_back(row.at(0) + ": " + name);
    }
  }
  return found;
}

class PromisesTest : public ::testing::Test {
 protected:
  const std::string page_ = promises_text("docs/promises.md");
  const std::string architecture_ = promises_text("docs/architecture.md");
};

TEST_F(PromisesTest, EachRowNamesTestsOfTheSources) {
  EXPECT_THAT(table_rows(page_), SizeIs(::testing::Ge(40u)));
  EXPECT_THAT(unheld(page_), IsEmpty());
}

TEST_F(PromisesTest, EachSentenceOfTheReadmeHasARow) {
  const auto sentences = sentences_of_list(section(promises_text("README.md"), "What holds"));
  EXPECT_THAT(sentences, SizeIs(::testing::Ge(12u)));
  EXPECT_EQ(first_cells(section(page_, "What holds")), sentences);
}

TEST_F(PromisesTest, EachFaultThatIsSurvivedHasARow) {
  const auto faults = first_cells(section(architecture_, "What survives what"));
  EXPECT_THAT(faults, SizeIs(::testing::Ge(20u)));
  EXPECT_EQ(first_cells(section(page_, "What survives what")), faults);
}

TEST_F(PromisesTest, EachFolderHasARow) {
  const std::string folders = section(architecture_, "The folders");
  const std::size_t begin = folders.find("| folder | what it promises |");
  ASSERT_NE(begin, std::string::npos);
  const auto rows = first_cells(folders.substr(begin, folders.find("\n\n", begin) - begin));
  EXPECT_THAT(rows, SizeIs(::testing::Ge(6u)));
  EXPECT_EQ(first_cells(section(page_, "The folders")), rows);
}

TEST_F(PromisesTest, MissingTestsAndPromisesAreReported) {
  EXPECT_THAT(
      unheld("| promise | tests |\n|---|---|\n| it is fast | |\n| it is safe | `SafeTest.NeverWritten` |\n"),
      ElementsAre("it is fast: no test", "it is safe: SafeTest.NeverWritten"));
  EXPECT_THAT(sentences_of_list("\n- One. Two\n  goes on.\n- Three.\n\nAnd not:\n\n- Four.\n"),
              ElementsAre("One.", "Three.", "Two goes on."));
}

}  // namespace
}  // namespace cairn::test
