#include "tools/cli/help/completion_names.h"

#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/client/server_url.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kNamesMax = 100;
constexpr std::chrono::milliseconds kPatience{1'000};

std::string path_of(std::string_view kind, const std::string& prefix) {
  const std::string part = "limit=" + std::to_string(kNamesMax) +
                           (prefix.empty() ? "" : "&prefix=" + api::percent_encoded(prefix));
  if (kind == "stream") return "/streams?" + part;
  if (kind == "category" || kind == "tag") return "/stats/counts?by=" + std::string(kind) + "&" + part;
  if (kind == "projection") return "/projections";
  if (kind == "subject") return "/subjects";
  return "";
}

std::string name_in(std::string_view kind, const json& entry) {
  if (entry.is_string()) return entry.get<std::string>();
  return text_member(entry, kind == "stream" ? "stream" : "name");
}

json entries_in(std::string_view kind, const json& answer) {
  if (answer.is_array()) return answer;
  return list_member(answer, kind == "stream" ? "streams" : kind == "projection" ? "projections" : "counts");
}

bool is_one_word_of_a_list(const std::string& name) {
  return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

// Ends the process, silently, when the server takes long.
void give_up_after(std::chrono::milliseconds time) {
  std::signal(SIGALRM, [](int) { ::_exit(kExitOk); });
  itimerval timer{};
  timer.it_value.tv_sec = time.count() / 1'000;
  timer.it_value.tv_usec = time.count() % 1'000 * 1'000;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

std::string completed_names(const CLI::Option& option, std::string_view command) {
  const std::string type = option.get_type_name();
  if (type == "STREAM") return "stream";
  if (type == "SUBJECT" || type == "TYPE") return "subject";
  if (type == "CATEGORY") return "category";
  if (type == "TAG") return "tag";
  if (type == "NAME" && command == "projection") return "projection";
  return "";
}

int print_names(std::string_view kind, const std::string& prefix) {
  const std::string path = path_of(kind, prefix);
  if (path.empty()) return kExitOk;
  give_up_after(kPatience);
  ServerOptions server;
  if (const char* url = std::getenv("CAIRN_URL")) server.url = url;
  if (const char* file = std::getenv("CAIRN_CA_FILE")) server.ca_file = file;
  auto client = make_client(server, kPatience);
  if (!client) return kExitOk;
  const auto answer = client->get(path);
  if (!answer || !answer->ok()) return kExitOk;
  std::string text;
  std::size_t count = 0;
  for (const json& entry : entries_in(kind, json::parse(answer->body, nullptr, false))) {
    const std::string name = name_in(kind, entry);
    if (!name.starts_with(prefix) || !is_one_word_of_a_list(name) || count == kNamesMax) continue;
    text += name + "\n";
    ++count;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return kExitOk;
}

}  // namespace cairn::cli
