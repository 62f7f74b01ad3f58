#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/cairn_process.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// `cairn serve` as a process with an empty store and a free port, which takes events of any type.
class RunningServer {
 public:
  explicit RunningServer(std::vector<std::string> more = {}) : more_(std::move(more)) {
    start("127.0.0.1:0");
  }

  std::string url() const { return url_; }

  void kill() {
    process_->signal(SIGKILL);
    process_->finish();
  }

  // Starts it again on the same folder and port.
  void start_again() { start(url_.substr(url_.find("//") + 2)); }

 private:
  void start(const std::string& listen) {
    std::vector<std::string> words = {"serve",    "--data", folder_.path().string(), "--schemas", "optional",
                                      "--listen", listen};
    words.insert(words.end(), more_.begin(), more_.end());
    process_ = std::make_unique<CairnProcess>(words);
    const std::string line = process_->first_line();
    const std::size_t at = line.find(" on http");
    if (at == std::string::npos) ADD_FAILURE() << process_->finish(std::chrono::milliseconds(0)).errors;
    url_ = at == std::string::npos ? "" : line.substr(at + 4);
  }

  TempFolder folder_;
  std::vector<std::string> more_;
  std::unique_ptr<CairnProcess> process_;
  std::string url_;
};

}  // namespace cairn::test
