#include "tools/bench/compare/postgres_server.h"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

constexpr const char* kServerUser = "postgres";
constexpr auto kStartSecondsMax = std::chrono::seconds(30);

// A socket's path has room for 107 bytes, and PostgreSQL adds "/.s.PGSQL.5432".
constexpr std::size_t kSocketFolderBytesMax = 90;

struct Account {
  std::string name;
  uid_t uid;
  gid_t gid;
};

// The user of the server process: nullopt for the current one.
Result<std::optional<Account>> server_account() {
  if (geteuid() != 0) return std::optional<Account>();
  const passwd* entry = getpwnam(kServerUser);
  if (entry == nullptr) {
    return make_error(Errc::kFailedPrecondition,
                      std::string("PostgreSQL refuses to run as root, and there is no user ") + kServerUser);
  }
  return std::optional(Account{entry->pw_name, entry->pw_uid, entry->pw_gid});
}

std::string own_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? std::to_string(geteuid()) : entry->pw_name;
}

Result<std::filesystem::path> program_folder() {
  const char* chosen = std::getenv("CAIRN_POSTGRES_BIN");
  const std::vector<std::filesystem::path> candidates = {chosen == nullptr ? "" : chosen,
                                                         "/usr/lib/postgresql/15/bin", "/usr/pgsql-15/bin",
                                                         "/usr/local/bin", "/usr/bin"};
  for (const auto& folder : candidates) {
    if (!folder.empty() && std::filesystem::exists(folder / "initdb")) return folder;
  }
  return make_error(
      Errc::kFailedPrecondition,
      "initdb of PostgreSQL 15 was not found; install the package postgresql-15 or set CAIRN_POSTGRES_BIN");
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const std::optional<Account>& account, const std::vector<const char*>& arguments,
                         int output) {
  setsid();  // SIGINT of the terminal must not reach the server: its clients stop first.
  if (account && (setgroups(0, nullptr) != 0 || setgid(account->gid) != 0 || setuid(account->uid) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG,
        SIGQUIT);  // PostgreSQL's "stop at once"; set last, because a change of user clears it
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (chdir("/") != 0) _exit(126);
  execv(arguments.front(), const_cast<char* const*>(arguments.data()));
  _exit(127);
}

Result<pid_t> spawn(const std::optional<Account>& account, const std::vector<std::string>& words,
                    const std::filesystem::path& output) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  arguments.push_back(nullptr);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return system_error("open " + output.string(), errno);
  const pid_t process = fork();
  if (process == 0) become(account, arguments, file);
  const int failure = errno;
  close(file);
  if (process < 0) return system_error("fork", failure);
  return process;
}

int wait_for_exit(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Error with_output(const std::string& what, const std::filesystem::path& output) {
  std::string text = what + "; its output:";
  if (std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(output.c_str(), "r"), std::fclose); file) {
    for (char line[512]; std::fgets(line, sizeof line, file.get()) != nullptr;)
      text += std::string("\n  ") + line;
  }
  return make_error(Errc::kFailedPrecondition, text);
}

}  // namespace

Result<std::unique_ptr<PostgresServer>> PostgresServer::start(const std::filesystem::path& folder) {
  if (folder.string().size() > kSocketFolderBytesMax) {
    return make_error(Errc::kFailedPrecondition,
                      folder.string() + " is too long a path for a socket; use --dir");
  }
  CAIRN_TRY(const std::optional<Account> account, server_account());
  CAIRN_TRY(const std::filesystem::path programs, program_folder());
  std::filesystem::create_directories(folder);
  const std::filesystem::path output = folder.parent_path() / "postgres.log";
  if (account) {
    // mkdtemp made the parent folder private; the server's user needs access to it.
    std::filesystem::permissions(folder.parent_path(), std::filesystem::perms(0711));
    if (chown(folder.c_str(), account->uid, account->gid) != 0)
      return system_error("chown " + folder.string(), errno);
  }

  // Byte-wise comparison of text: the fastest collation, and good for stream names.
  CAIRN_TRY(const pid_t initdb, spawn(account,
                                      {(programs / "initdb").string(), "-D", (folder / "data").string(),
                                       "--auth=trust", "--encoding=UTF8", "--locale=C"},
                                      output));
  if (wait_for_exit(initdb) != 0) return with_output("initdb in " + folder.string() + " failed", output);

  CAIRN_TRY(const pid_t process, spawn(account,
                                       {(programs / "postgres").string(), "-D", (folder / "data").string(),
                                        "-k", folder.string(), "-h", ""},
                                       output));
  std::unique_ptr<PostgresServer> server(new PostgresServer(folder, process));
  server->user_ = account ? account->name : own_name();
  if (const Status ready = server->wait_until_ready(); !ready)
    return with_output(ready.error().message, output);
  return server;
}

PostgresServer::PostgresServer(std::filesystem::path folder, pid_t process)
    : folder_(std::move(folder)), process_(process) {}

PostgresServer::~PostgresServer() {
  kill(process_, SIGQUIT);  // An immediate shutdown: its folder is removed next.
  wait_for_exit(process_);
}

std::string PostgresServer::connection_string() const {
  return "host='" + folder_.string() + "' dbname=postgres user='" + user_ + "'";
}

Status PostgresServer::wait_until_ready() const {
  const auto deadline = std::chrono::steady_clock::now() + kStartSecondsMax;
  while (std::chrono::steady_clock::now() < deadline && !interrupted()) {
    if (PQping(connection_string().c_str()) == PQPING_OK) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return make_error(Errc::kFailedPrecondition, "PostgreSQL in " + folder_.string() + " did not start");
}

}  // namespace cairn::bench
