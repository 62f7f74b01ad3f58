#include "tests/docs/document_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/docs/sample_commands.h"
#include "tests/docs/sample_output.h"
#include "tests/docs/shell_session.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

namespace fs = std::filesystem;

namespace {

// More than that follow from the first ones.
constexpr std::size_t kComplaintsMax = 5;
constexpr std::chrono::seconds kEventually{30};
constexpr std::string_view kShownAddress = "127.0.0.1:7878";

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string indented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += "    " + line + "\n";
  return result.empty() ? "    (nothing)\n" : result;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

class DocumentRun {
 public:
  DocumentRun(const std::string& name, const Markdown& document) : name_(name), document_(document) {
    fs::create_directories(work() / "build/dev");
    fs::create_symlink(test_program("cairn"), work() / "build/cairn");
    fs::create_symlink(CAIRN_TEST_BIN_DIR, work() / "build/dev/bin");
    fs::copy(fs::path(CAIRN_SOURCE_DIR) / "examples", work() / "examples", fs::copy_options::recursive);
    if (document_.has_server && has_commands()) start_server();
    session_.emplace(ShellSession::Place{work(), folder_ / "own", url_});
  }

  std::vector<std::string> run() {
    if (!complaints_.empty()) return std::move(complaints_);
    const std::vector<Block>& blocks = document_.blocks;
    for (std::size_t i = 0; i < blocks.size() && complaints_.size() < kComplaintsMax && !is_over_; ++i) {
      if (blocks[i].language() == "lua") save_script(blocks[i]);
      if (blocks[i].language() != "bash" || !can_be_run(blocks[i])) continue;
      const Block* shown = i + 1 < blocks.size() ? &blocks[i + 1] : nullptr;
      if (shown != nullptr && (shown->heading != blocks[i].heading ||
                               (shown->language() != "json" && shown->language() != "text"))) {
        shown = nullptr;
      }
      run_block(blocks[i], shown);
    }
    return std::move(complaints_);
  }

 private:
  // A program without Avro C++ has no .avro files.
  static bool can_be_run(const Block& block) {
    return CAIRN_HAVE_AVRO || block.text.find(".avro") == std::string::npos;
  }

  bool has_commands() const {
    return std::any_of(document_.blocks.begin(), document_.blocks.end(),
                       [](const Block& block) { return block.language() == "bash"; });
  }

  fs::path work() const { return folder_ / "work"; }

  void start_server() {
    std::vector<std::string> words = {"serve", "--data", (work() / "cairn-data").string(), "--listen",
                                      "127.0.0.1:0"};
    for (std::string& word : words_of(document_.server_arguments)) words.push_back(std::move(word));
    server_ = std::make_unique<CairnProcess>(words);
    const std::string line = server_->first_line();
    const std::size_t at = line.find(" on http");
    if (at == std::string::npos) {
      complaints_.push_back(
          name_ + ": its server does not start: " + server_->finish(std::chrono::milliseconds(0)).errors);
      return;
    }
    url_ = line.substr(at + 4);
    address_ = url_.substr(url_.find("//") + 2);
  }

  void save_script(const Block& block) {
    static const std::regex kName(R"(^-- *([A-Za-z0-9_/.-]+\.lua)\n)");
    std::smatch name;
    if (!std::regex_search(block.text, name, kName)) return;
    const fs::path path = work() / name[1].str();
    fs::create_directories(path.parent_path());
    EXPECT_THAT(write_file(path, block.text), succeeds());
  }

  void complain(int line, const std::string& what) {
    complaints_.push_back(name_ + ":" + std::to_string(line) + ": " + what);
  }

  void run_block(const Block& block, const Block* shown) {
    const SampleCommands found =
        commands_in(block, [this](const std::string& text) { return session_->is_whole(text); });
    if (found.unfinished) {
      complain(found.unfinished->line, "the command does not end:\n" + indented(found.unfinished->text));
    }
    const std::vector<SampleCommand>& commands = found.commands;
    for (const SampleCommand& command : commands) given_ += command.text;
    if (block.info == "bash eventually") {
      if (shown == nullptr) return complain(block.line, "nothing is shown that could come eventually");
      const auto deadline = std::chrono::steady_clock::now() + kEventually;
      const std::size_t before = complaints_.size();
      for (;;) {
        run_once(commands, shown);
        const bool is_late = std::chrono::steady_clock::now() > deadline;
        if (complaints_.size() == before || is_late || is_over_) return;
        complaints_.resize(before);
      }
    }
    if (block.info != "bash") return complain(block.line, "```" + block.info + " is not known here");
    run_once(commands, shown);
  }

  void run_once(const std::vector<SampleCommand>& commands, const Block* shown) {
    std::string all;
    std::string printed;
    for (const SampleCommand& command : commands) {
      ShellAnswer answer = session_->run(at_the_server(command.text));
      for (std::string* text : {&answer.output, &answer.errors}) {
        if (!address_.empty()) *text = replaced(*text, address_, std::string(kShownAddress));
      }
      judge(command, answer, shown != nullptr);
      is_over_ = answer.exit_code == -1;
      if (is_over_) return;
      all += command.text;
      printed += answer.output;
      if (shown != nullptr && shown->language() == "text") printed += answer.errors;
    }
    if (shown == nullptr) return;
    const std::string difference = shown->language() == "json"
                                       ? json_difference(shown->text, printed, given_)
                                       : text_difference(shown->text, printed, given_);
    if (difference.empty()) return;
    complain(shown->line, difference + "\n  commands, line " +
                              std::to_string(commands.empty() ? 0 : commands[0].line) + ":\n" +
                              indented(all) + "  the document shows:\n" + indented(shown->text) +
                              "  they print:\n" + indented(printed));
  }

  // The checks of a command that do not depend on its shown output.
  void judge(const SampleCommand& command, const ShellAnswer& answer, bool is_shown) {
    std::string wrong;
    if (answer.exit_code == -1) {
      wrong =
          "the shell ended with this, or was ended after " + std::to_string(ShellSession::kPatienceS) + " s";
    } else if (answer.exit_code != command.exit_code) {
      wrong = "exit code " + std::to_string(answer.exit_code) + " instead of " +
              std::to_string(command.exit_code);
    }
    const bool calls = command.text.find("curl ") != std::string::npos;  // rather than a program it starts
    for (const int status : answer.http_statuses) {
      if (status >= 400 && calls && !is_shown &&
          command.comment.find(std::to_string(status)) == std::string::npos) {
        wrong = "the server answers " + std::to_string(status) + ", and the document does not say so";
      }
    }
    if (wrong.empty() && (command.comment.starts_with("{") || command.comment.starts_with("[")) &&
        !is_part_of(command.comment, answer.output)) {
      wrong = "it does not print what the comment says";
    }
    if (wrong.empty()) return;
    complain(command.line, wrong + "\n  command:\n" + indented(command.text) + "  stdout:\n" +
                               indented(answer.output) + "  stderr:\n" + indented(answer.errors));
  }

  // With the server of this document in place of the one that is shown.
  std::string at_the_server(const std::string& text) const {
    if (address_.empty()) return text;
    const std::string port = address_.substr(address_.find(':'));
    return replaced(replaced(text, kShownAddress, address_), "localhost:7878", "localhost" + port);
  }

  std::string name_;
  const Markdown& document_;
  TempFolder folder_;
  std::unique_ptr<CairnProcess> server_;
  std::string url_;
  std::string address_;  // of the server, without the scheme
  std::optional<ShellSession> session_;
  std::string given_;     // all commands so far
  bool is_over_ = false;  // the shell is gone
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> run_document(const std::string& name, const Markdown& document) {
  return DocumentRun(name, document).run();
}

}  // namespace cairn::test
