// Documents are wrapped at 110 columns, so that a diff shows the sentence that changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/documents.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kColumnsMax = 110;

// Characters of a line in UTF-8.
std::size_t columns_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0u) != 0x80 ? 1 : 0;
  return columns;
}

// The numbers of the lines of prose that are too wide. Tables, code and comments cannot be wrapped, nor can a
// line with nothing to break at.
std::vector<int> wide_lines(std::istream&& text) {
  std::vector<int> wide;
  std::string line;
  bool in_code = false, in_comment = false;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::string_view body =
        begin == std::string::npos ? std::string_view() : std::string_view(line).substr(begin);
    if (body.starts_with("```")) in_code = !in_code;
    if (in_code || body.starts_with("```")) continue;
    if (body.starts_with("<!--")) in_comment = true;
    const bool was_comment = in_comment;
    if (body.ends_with("-->")) in_comment = false;
    if (was_comment || body.starts_with("|") || body.starts_with("#")) continue;
    if (columns_of(line) > kColumnsMax && body.find(' ') != std::string_view::npos) wide.push_back(number);
  }
  return wide;
}

class WidthTest : public ::testing::TestWithParam<std::string> {};

TEST_P(WidthTest, ProseIsWrapped) {
  EXPECT_THAT(wide_lines(std::ifstream(std::filesystem::path(CAIRN_SOURCE_DIR) / GetParam())), IsEmpty())
      << "lines of " << GetParam() << " with over " << kColumnsMax << " columns";
}

INSTANTIATE_TEST_SUITE_P(Document, WidthTest, ::testing::ValuesIn(document_names()),
                         [](const auto& chosen) { return test_name_of(chosen.param); });

TEST(WideLinesTest, OnlyProseCounts) {
  const std::string wide(60, 'x');
  const std::string prose = wide + " " + wide + "\n";
  EXPECT_THAT(wide_lines(std::istringstream("short\n" + prose + "- " + prose)), ElementsAre(2, 3));
  EXPECT_THAT(wide_lines(std::istringstream("```\n" + prose + "```\n| " + prose + "<!-- " + prose + "-->\n")),
              IsEmpty());
  EXPECT_THAT(wide_lines(std::istringstream(wide + wide + "\n")), IsEmpty());
}

}  // namespace
}  // namespace cairn::test
