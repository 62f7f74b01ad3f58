// Every block of a document is of a kind that a test looks after:
//
//   bash, and json or text behind it    samples_test.cc runs and compares them
//   usage                               command_line_test.cc holds it against the program
//   lua                                 a whole script, which is loaded here
//   hex                                 bytes, which stand in a test
//   cmake                               the rest of a CMakeLists.txt that is configured here
//   http                                a request, which must be one of api/server/openapi.json
//   console                             commands that are shown and not run; kShownNotRun says why. Where
//   some
//                                       begin with $, the other lines are what they print
//   text, mermaid                       elsewhere: a picture, without commands
//   everything else (cpp, json, ini …)  stands in a file of the sources, which is compiled or tested there

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "projections/script/aggregate_script.h"
#include "projections/script/projection_script.h"
#include "tests/docs/documents.h"
#include "tests/docs/sample_output.h"
#include "tests/docs/source_text.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

// A shorter text would be found in some file by chance.
constexpr std::size_t kFoundByChance = 20;

struct ShownNotRun {
  std::string_view begins;
  std::string_view why;
};

constexpr ShownNotRun kShownNotRun[] = {
    {"./run", "installs packages and builds; its first word is looked up in ./run"},
    {"cmake ", "builds, and a test runs in a build already"},
    {"ninja ", "builds, and a test runs in a build already"},
    {"export PKG_CONFIG_PATH=", "needs an installation, which a test makes elsewhere"},
    {"g++ ", "needs an installation, which a test makes elsewhere"},
    {"git clone ", "needs a network"},
    {"node ", "need not be installed"},
    {"build/dev/bin/", "prints other numbers each time; it has a test of its own"},
    {"cairn serve", "stays until it is stopped; each document has a server of its own"},
    {"CAIRN_LISTEN=127.0.0.1:9000 cairn serve", "stays until it is stopped"},
    {"build/cairn serve", "stays until it is stopped; each document has a server of its own"},
    {"cairn status", "its exit code depends on the disk of the machine"},
    {"cairn project ", "stays until it is stopped"},
    {"cairn status", "prints other numbers each time; it has tests of its own"},
    {"apt-get ", "changes the machine"},
    {"apt ", "changes the machine"},
    {"dpkg ", "changes the machine"},
    {"sudo ", "changes the machine"},
    {"systemctl ", "needs an init system"},
    {"journalctl ", "needs an init system"},
    {"docker ", "needs a daemon and images"},
    {"podman ", "needs images"},
    {"ssh ", "needs another machine"},
    {"scp ", "needs another machine"},
    {"rsync ", "needs another machine"},
};

// "" or the error of a line that is shown and not run.
std::string wrong_to_show(const std::string& shown_line) {
  const std::string line = shown_line.substr(shown_line.starts_with("$ ") ? 2 : 0);
  static const std::regex kRun(R"(^\./run +([a-z]+).*)");
  for (const ShownNotRun& shown : kShownNotRun) {
    if (!line.starts_with(shown.begins)) continue;
    std::smatch word;
    if (!std::regex_match(line, word, kRun)) return "";
    static const std::string script = *read_file(fs::path(CAIRN_SOURCE_DIR) / "run");
    const bool is_there = std::regex_search(script, std::regex("\n  " + word[1].str() + "[ \n]"));
    return is_there ? "" : "./run has no command " + word[1].str();
  }
  return "this could be run: make it a block of bash, or say in kShownNotRun why not";
}

bool is_a_command(const std::string& line) {
  static const std::regex kCommand(R"(^ *(\$ |(build/)?cairn [a-z]|curl |\./run).*)");
  return std::regex_match(line, kCommand);
}

std::string wrong_with_script(const std::string& source) {
  std::string wrong = "no whole script: it returns no upcaster, aggregate or projection";
  const auto note = [&](const auto& loaded) { wrong = loaded ? "" : loaded.error().text(); };
  if (source.find("return upcaster") != std::string::npos) note(UpcasterScript::load(source, "sample.lua"));
  if (source.find("return aggregate") != std::string::npos) note(AggregateScript::load(source, "sample.lua"));
  if (source.find("return projection") != std::string::npos)
    note(ProjectionScript::load(source, "sample.lua"));
  return wrong;
}

// Configures a program that includes the sources; it is not built.
std::string wrong_with_cmake(const std::string& text) {
  const TempFolder folder;
  fs::create_directory_symlink(CAIRN_SOURCE_DIR, folder / "cairn");
  EXPECT_THAT(write_file(folder / "main.cc", "int main() {}\n"), succeeds());
  EXPECT_THAT(write_file(folder / "CMakeLists.txt",
                         "cmake_minimum_required(VERSION 3.25)\nproject(sample CXX)\n" + text),
              succeeds());
  const std::string here = folder.path().string();
  const std::string log = here + "/log";
  const int status =
      std::system(("cmake -G Ninja -S " + here + " -B " + here + "/build >" + log + " 2>&1").c_str());
  return status == 0 ? "" : *read_file(log);
}

// The first line is a method and a path; a body may follow after an empty line.
std::string wrong_with_request(const std::string& text) {
  static const auto paths =
      nlohmann::json::parse(*read_file(fs::path(CAIRN_SOURCE_DIR) / "api/server/openapi.json")).at("paths");
  static const std::regex kLine(R"(^([A-Z]+) (/[^ ?\n]*)(\?[^ \n]*)?(?= HTTP/1\.1|\n|$))");
  std::smatch line;
  if (!std::regex_search(text, line, kLine)) return "no request: it begins with a method and a path";
  std::string method = line[1];
  for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t body = text.find("\n\n");
  if (body != std::string::npos &&
      json_difference(text.substr(body), text.substr(body), "").find("shows is no") != std::string::npos) {
    return "its body is no JSON";
  }
  static const std::regex kPlace(R"(\{[^}]*\})");
  for (const auto& [path, methods] : paths.items()) {
    const std::regex pattern(std::regex_replace(path, kPlace, "[^/]+"));
    if (methods.contains(method) && std::regex_match(line[2].str(), pattern)) return "";
  }
  return "the API has no " + line[1].str() + " " + line[2].str();
}

template <typename Judge>
std::string first_wrong_line(const Block& block, Judge judge) {
  std::istringstream lines(block.text);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_new = !goes_on && !line.empty() && !line.starts_with("#");
    goes_on = line.ends_with("\\");
    const std::string wrong = is_new ? judge(line) : "";
    if (!wrong.empty()) return wrong + ": " + line;
  }
  return "";
}

std::string wrong_with_bytes(const std::string& text) {
  for (const std::string& example : examples_of_bytes(text)) {
    if (!source_with(example)) return "no test has these bytes: " + example;
  }
  return "";
}

// "" or the error of a block; `is_output`: it follows the commands that print it.
std::string wrong_with(const Block& block, bool is_output) {
  const std::string language = block.language();
  if (language.empty()) return "the fence does not say what this is";
  if (language == "bash" || language == "usage") return "";
  if ((language == "json" || language == "text") && is_output) return "";
  if (language == "lua") return wrong_with_script(block.text);
  if (language == "cmake") return wrong_with_cmake(block.text);
  if (language == "hex") return wrong_with_bytes(block.text);
  if (language == "http") return wrong_with_request(block.text);
  if (language == "console") {
    const bool has_output = ("\n" + block.text).find("\n$ ") != std::string::npos;
    return first_wrong_line(block, [&](const std::string& line) {
      return has_output && !line.starts_with("$ ") ? "" : wrong_to_show(line);
    });
  }
  if (language == "text" || language == "mermaid") {
    return first_wrong_line(block, [](const std::string& line) -> std::string {
      return is_a_command(line) ? "a command in a picture: make it a block of bash" : "";
    });
  }
  if (language == "sh" || language == "shell" || language == "zsh") return "commands are blocks of bash";
  if (block.text.size() < kFoundByChance) return "too short to be found in the sources";
  return source_with(block.text) ? "" : "no file of the sources has this text:\n" + block.text;
}

class BlocksTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BlocksTest, AreAllChecked) {
  const Markdown markdown = document(GetParam());
  const auto complain = [](int line, const std::string& wrong) {
    if (!wrong.empty()) ADD_FAILURE() << GetParam() << ":" << line << ": " << wrong;
  };
  for (std::size_t i = 0; i < markdown.blocks.size(); ++i) {
    const Block& block = markdown.blocks[i];
    const Block* before = i > 0 ? &markdown.blocks[i - 1] : nullptr;
    const bool is_output =
        before != nullptr && before->language() == "bash" && before->heading == block.heading;
    complain(block.line, wrong_with(block, is_output));
  }
  for (const Place& place : markdown.indented) {
    complain(place.line, "four spaces make a block of no kind; put it between fences: " + place.text);
  }
  for (const Place& place : markdown.unknown) {
    complain(place.line, "not known behind <!-- samples: " + place.text);
  }
  for (const Place& span : markdown.code_spans) {
    if (span.text.starts_with("./run ")) complain(span.line, wrong_to_show(span.text));
  }
}

INSTANTIATE_TEST_SUITE_P(Document, BlocksTest, ::testing::ValuesIn(document_names()),
                         [](const auto& chosen) { return test_name_of(chosen.param); });

TEST(WrongBlocksTest, AreReported) {
  const auto wrong = [](const std::string& info, const std::string& text) {
    return wrong_with({.info = info, .text = text}, false);
  };
  EXPECT_EQ(wrong("", "x"), "the fence does not say what this is");
  EXPECT_THAT(wrong("lua", "return upcaster {"), ::testing::HasSubstr("sample.lua:1:"));
  EXPECT_THAT(wrong("lua", "local x = 1"), ::testing::HasSubstr("no whole script"));
  EXPECT_THAT(wrong("cpp", std::string("auto nobody_") + "wrote_this = 1;"),
              ::testing::HasSubstr("no file of the sources"));
  EXPECT_EQ(wrong("cpp", "class  BlocksTest :\npublic ::testing::TestWithParam<std::string>{};"), "");
  EXPECT_EQ(wrong("sh", "ls"), "commands are blocks of bash");
  EXPECT_EQ(wrong("ini", "[Unit]"), "too short to be found in the sources");
  EXPECT_THAT(wrong("console", "cairn read --all"), ::testing::HasSubstr("this could be run"));
  EXPECT_EQ(wrong("console", "./run dance"), "./run has no command dance: ./run dance");
  EXPECT_EQ(wrong("console", "./run test --preset tsan"), "");
  EXPECT_EQ(wrong("console", "$ ninja cairn\n[1/2] cairn read\n"), "");
  EXPECT_THAT(wrong("console", "$ cairn read --all\n{}"), ::testing::HasSubstr("this could be run"));
  EXPECT_EQ(wrong("http", "GET /streams/cart-7/events?limit=1\nAccept: text/event-stream\n"), "");
  EXPECT_EQ(wrong("http", "POST /append\n\n{\"appends\": [{\"stream\": \"a\", …}]}\n"), "");
  EXPECT_EQ(wrong("http", "POST /append\n\n{\"appends\": [}\n"), "its body is no JSON");
  EXPECT_EQ(wrong("http", "GET /dances/1\n"), "the API has no GET /dances/1");
  EXPECT_THAT(wrong("text", "  $ cairn read --all"), ::testing::HasSubstr("a command in a picture"));
  EXPECT_THAT(wrong("hex", std::string("000  43524e42 01") + "000001   magic"),
              ::testing::HasSubstr("no test has these bytes"));
  EXPECT_EQ(wrong("hex", "000  43524e42 01000000   magic"), "");
}

}  // namespace
}  // namespace cairn::test
