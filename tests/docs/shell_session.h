#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace cairn::test {

// What one command did.
struct ShellAnswer {
  int exit_code = -1;              // -1 = the shell ended with it, or was ended because it took too long
  std::string output;              // stdout
  std::string errors;              // stderr
  std::vector<int> http_statuses;  // what servers answered curl with, in order
};

// One bash that commands are given to one after the other, as somebody types them: variables, folders and
// programs in the background stay. Its programs find nothing on stdin. Everything ends with it, and it ends
// by itself after kPatienceS.
class ShellSession {
 public:
  static constexpr int kPatienceS = 100;

  struct Place {
    std::filesystem::path work;  // where it begins
    std::filesystem::path own;   // for the session's own files: another folder
    std::string url;             // CAIRN_URL; "" = there is none
  };
  explicit ShellSession(Place place);
  ~ShellSession();

  // Whether `text` is a whole command, or several, rather than the beginning of one.
  bool is_whole(const std::string& text);

  ShellAnswer run(const std::string& command);

 private:
  int ask(const std::string& what, const std::string& text);
  std::vector<int> take_statuses() const;

  Place place_;
  std::unique_ptr<ChildProcess> shell_;
  int asked_ = 0;
};

}  // namespace cairn::test
