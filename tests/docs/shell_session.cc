#include "tests/docs/shell_session.h"

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/matchers.h"

namespace cairn::test {

namespace fs = std::filesystem;

namespace {

// Reads lines "check FILE" and "run FILE", and prints exit codes. A here-document without an end is only a
// warning of bash, so the check also examines stderr.
constexpr std::string_view kSessionScript =
    R"bash(unset ${!CAIRN_@} http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
export PATH="$SESSION_OWN/bin:$PATH" HOME="$SESSION_OWN" LC_ALL=C.UTF-8 TZ=UTC
[[ -z $SESSION_URL ]] || export CAIRN_URL="$SESSION_URL"
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
cd "$SESSION_WORK" || exit 1
while IFS=' ' read -r session_what session_file; do
  if [[ $session_what == check ]]; then
    session_said=$(bash -n "$session_file" 2>&1) && [[ -z $session_said ]]
  else
    eval "$(<"$session_file")" </dev/null >"$session_file.out" 2>"$session_file.err"
  fi
  echo "$?"
done
)bash";

// A wrapper of curl that keeps the status of each answer.
constexpr std::string_view kCurlScript = R"bash(#!/bin/bash
PATH=${PATH#*:}
exec curl --dump-header "$(mktemp "$SESSION_OWN/headers/$(date +%s%N).XXXXXX")" "$@"
)bash";

void put_session_file(const fs::path& path, std::string_view text) {
  ASSERT_THAT(write_file(path, std::string(text)), succeeds());
}

std::string session_text(const fs::path& path) {
  auto text = read_file(path);
  return text.ok() ? *text : "";
}

}  // namespace

ShellSession::ShellSession(Place place) : place_(std::move(place)) {
  fs::create_directories(place_.own / "bin");
  fs::create_directories(place_.own / "headers");
  put_session_file(place_.own / "session.sh", kSessionScript);
  put_session_file(place_.own / "bin/curl", kCurlScript);
  fs::permissions(place_.own / "bin/curl", fs::perms::owner_all);
  fs::create_symlink(test_program("cairn"), place_.own / "bin/cairn");
  shell_ = std::make_unique<ChildProcess>(ChildProcess::Command{
      .arguments = {"/usr/bin/timeout", "--kill-after=5", std::to_string(kPatienceS), "/bin/bash", "--norc",
                    "--noprofile", (place_.own / "session.sh").string()},
      .environment = {{"SESSION_OWN", place_.own.string()},
                      {"SESSION_WORK", place_.work.string()},
                      {"SESSION_URL", place_.url}}});
}

ShellSession::~ShellSession() {
  shell_->close_input();
  shell_->wait();
}

int ShellSession::ask(const std::string& what, const std::string& text) {
  const fs::path file = place_.own / std::to_string(++asked_);
  put_session_file(file, text);
  const std::string answer = shell_->ask(what + " " + file.string());
  return answer == "gone" ? -1 : std::atoi(answer.c_str());
}

bool ShellSession::is_whole(const std::string& text) {
  return !text.ends_with("\\\n") && ask("check", text) == 0;
}

ShellAnswer ShellSession::run(const std::string& command) {
  ShellAnswer answer;
  answer.exit_code = ask("run", command);
  const std::string file = (place_.own / std::to_string(asked_)).string();
  answer.output = session_text(file + ".out");
  answer.errors = session_text(file + ".err");
  answer.http_statuses = take_statuses();
  return answer;
}

std::vector<int> ShellSession::take_statuses() const {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place_.own / "headers")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<int> statuses;
  static const std::regex kStatus(R"(HTTP/[0-9.]+ (\d{3}))");
  for (const fs::path& file : files) {
    const std::string headers = session_text(file);
    int last = 0;
    for (std::sregex_iterator it(headers.begin(), headers.end(), kStatus), end; it != end; ++it) {
      last = std::stoi((*it)[1]);
    }
    if (last != 0) statuses.push_back(last);
    fs::remove(file);
  }
  return statuses;
}

}  // namespace cairn::test
