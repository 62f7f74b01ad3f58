// The Debian package, installed for real into a copy of this machine that is thrown away.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>

#include "eventstore/base/file.h"
#include "tests/support/cairn_process.h"
#include "tests/support/matchers.h"
#include "tests/tools/package/throw_away_root.h"
#include "tests/tools/said.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kServiceUnit[] = "/usr/lib/systemd/system/cairn.service";
constexpr char kServiceOptions[] = "/etc/default/cairn";
constexpr char kServiceConfig[] = "/etc/cairn/cairn.toml";

// A fake systemctl that logs its calls. It reports that the unit is enabled.
constexpr char kNotedSystemctl[] =
    "#!/bin/sh\n"
    "echo \"$*\" >> /tmp/systemctl.log\n"
    "case \"$*\" in *is-enabled*) echo enabled ;; esac\n";

class PackageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"cpack", "dpkg", "dpkg-shlibdeps", "file", "strip", "nsenter", "setpriv"}) {
      if (!is_installed(program)) GTEST_SKIP() << "THE PACKAGE IS NOT TESTED: there is no " << program;
    }
    if (!root_.missing().empty()) GTEST_SKIP() << "THE PACKAGE IS NOT TESTED: " << root_.missing();
    if (root_.run({"dpkg", "--status", "cairn"}).exit.clean()) {
      GTEST_SKIP() << "THE PACKAGE IS NOT TESTED: this machine has it installed already";
    }
    // As on a machine that runs systemd and lets packages start services.
    fs::create_directories(root_ / "/run/systemd/system");
    fs::remove(root_ / "/usr/sbin/policy-rc.d");
    fs::remove(root_ / "/usr/bin/systemctl");
    ASSERT_THAT(write_file(root_ / "/usr/bin/systemctl", kNotedSystemctl), succeeds());
    fs::permissions(root_ / "/usr/bin/systemctl", fs::perms(0755));
  }

  // Packs what the tests were built with. Returns the package as it is called inside.
  std::string pack(const std::vector<std::string>& more = {}) {
    const fs::path build = fs::path(CAIRN_TEST_BIN_DIR).parent_path();
    std::vector<std::string> words = {"cpack",
                                      "--config",
                                      (build / "CPackConfig.cmake").string(),
                                      "-G",
                                      "DEB",
                                      "-B",
                                      folder_.path().string(),
                                      "-D",
                                      "CPACK_DEBIAN_COMPRESSION_TYPE=none"};
    words.insert(words.end(), more.begin(), more.end());
    const Said packed = said_by(words);
    EXPECT_TRUE(packed.exit.clean()) << packed.text;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() != ".deb") continue;
      const fs::path inside = "/tmp" / entry.path().filename();
      fs::copy_file(entry.path(), root_ / inside);
      fs::remove(entry.path());
      return inside.string();
    }
    ADD_FAILURE() << "no package was made: " << packed.text;
    return "";
  }

  std::string dpkg(const std::vector<std::string>& more) {
    // Other packages' triggers, as that of the manual's index, take longer than all the rest.
    std::vector<std::string> words = {"dpkg", "--no-triggers", "--force-unsafe-io"};
    words.insert(words.end(), more.begin(), more.end());
    const Said done = root_.run(words);
    EXPECT_TRUE(done.exit.clean()) << describe(done.exit) << "\n" << done.text;
    return done.text;
  }

  // Writes the options of the service and its other variables, as an administrator does.
  void configure(const std::string& options, const std::string& variables = "") {
    const fs::path file = root_ / kServiceOptions;
    EXPECT_THAT(write_file(file, "CAIRN_OPTIONS=\"" + options + "\"\n" + variables), succeeds());
    fs::permissions(file, fs::perms(0644));
  }

  // What systemd was asked for since the last call, without mere questions.
  std::string asked_of_systemd() {
    const fs::path log = root_ / "/tmp/systemctl.log";
    std::istringstream lines(fs::exists(log) ? *read_file(log) : "");
    fs::remove(log);
    std::string asked;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(" is-") == std::string::npos) asked += line + "\n";
    }
    return asked;
  }

  // A setting of the installed unit.
  std::string setting(const std::string& name) const {
    std::istringstream lines(*read_file(root_ / kServiceUnit));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
    }
    ADD_FAILURE() << "no " << name << " in the unit";
    return "";
  }

  // Runs the service by what its unit says: the command line with the variables of the file it names, as its
  // user and without any privilege.
  std::unique_ptr<ChildProcess> start_service() {
    std::string options = setting("EnvironmentFile");
    if (options.starts_with('-')) options.erase(0, 1);
    auto service = std::make_unique<ChildProcess>(ChildProcess::Command{
        root_.inside({"setpriv", "--reuid=" + setting("User"), "--regid=" + setting("Group"), "--init-groups",
                      "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "sh", "-c",
                      "set -a; . " + options + "; exec " + setting("ExecStart")}),
        {}});
    const std::string line = service->read_line().value_or("nothing");
    const std::size_t at = line.find(" on http");
    EXPECT_NE(at, std::string::npos) << line;
    url_ = at == std::string::npos ? "" : line.substr(at + 4);
    return service;
  }

  // The service stops in order when systemd asks it to.
  void stop(ChildProcess& service) const {
    service.kill(SIGTERM);
    EXPECT_TRUE(service.wait().clean()) << describe(service.wait());
  }

  std::string cairn(std::vector<std::string> words) {
    words.insert(words.begin(), "/usr/bin/cairn");
    words.insert(words.end(), {"--url", url_});
    const Said done = root_.run(words);
    EXPECT_TRUE(done.exit.clean()) << done.text;
    return done.text;
  }

  bool exists(const std::string& path) const { return fs::exists(root_ / path); }

  TempFolder folder_;
  ThrowAwayRoot root_;
  std::string url_;
};

TEST_F(PackageTest, EventsSurviveUpgradeRemovalAndPurge) {
  const std::string package = pack();
  const std::string version = run_cairn({"--version"}).output.substr(6);
  const Said control = root_.run({"dpkg-deb", "--field", package});
  EXPECT_THAT(control.text,
              AllOf(HasSubstr("Version: " + version), HasSubstr("liblmdb0"), HasSubstr("libc6 (>= "),
                    HasSubstr("adduser"), HasSubstr("Section: database")));

  dpkg({"--install", package});
  EXPECT_THAT(asked_of_systemd(), AllOf(HasSubstr(" preset cairn.service"), HasSubstr("daemon-reload"),
                                        HasSubstr(" start cairn.service")));
  EXPECT_THAT(setting("ExecStart"), StartsWith("/usr/bin/cairn serve --config /etc/cairn/cairn.toml"));
  for (const char* path : {"/usr/share/man/man1/cairn.1.gz", "/usr/share/bash-completion/completions/cairn",
                           "/usr/share/doc/cairn/copyright", "/usr/share/doc/cairn/changelog.gz",
                           "/usr/share/doc/cairn/examples/orders"}) {
    EXPECT_TRUE(exists(path)) << path;
  }
  EXPECT_FALSE(exists("/usr/include/cairn")) << "the component devel";
  EXPECT_EQ(root_.run({"stat", "-c", "%U:%G %a", "/var/lib/cairn"}).text, "cairn:cairn 700\n");

  // What the package comes with is valid, and an administrator changes it.
  const Said checked = root_.run({"/usr/bin/cairn", "config", "check", "--config", kServiceConfig});
  EXPECT_TRUE(checked.exit.clean()) << checked.text;
  EXPECT_EQ(root_.run({"stat", "-c", "%U:%G %a", kServiceConfig}).text, "root:root 644\n");
  const std::string config = *read_file(root_ / kServiceConfig) + "schemas = \"optional\"\n";
  ASSERT_THAT(write_file(root_ / kServiceConfig, config), succeeds());
  configure("--listen 127.0.0.1:0");
  auto service = start_service();
  cairn({"append", "order-42", "--type", "Placed", "--data", R"({"total":12})"});
  stop(*service);

  dpkg({"--install",
        pack({"-D", "CPACK_PACKAGE_VERSION=1000.1", "-D", "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF"})});
  EXPECT_THAT(asked_of_systemd(), AllOf(HasSubstr("try-restart cairn.service"), Not(HasSubstr(" stop "))));
  EXPECT_EQ(root_.run({"dpkg-query", "-W", "-f", "${Version}", "cairn"}).text, "1000.1");
  EXPECT_THAT(*read_file(root_ / kServiceOptions), HasSubstr("127.0.0.1:0"));
  EXPECT_EQ(*read_file(root_ / kServiceConfig), config);
  service = start_service();
  EXPECT_THAT(cairn({"read", "order-42"}), HasSubstr(R"({"total":12})"));
  stop(*service);

  dpkg({"--remove", "cairn"});
  EXPECT_THAT(asked_of_systemd(), HasSubstr("stop cairn.service"));
  EXPECT_FALSE(exists("/usr/bin/cairn"));
  EXPECT_FALSE(exists(kServiceUnit));
  EXPECT_TRUE(exists(kServiceConfig));

  // With its configuration still there: dpkg passes the version that was configured before, as in an upgrade.
  dpkg({"--install", package});
  EXPECT_THAT(asked_of_systemd(), AllOf(HasSubstr(" start cairn.service"), Not(HasSubstr("try-restart"))));
  dpkg({"--remove", "cairn"});
  EXPECT_THAT(asked_of_systemd(), HasSubstr("stop cairn.service"));
  EXPECT_FALSE(exists(kServiceUnit));
  EXPECT_TRUE(exists(kServiceOptions));
  EXPECT_TRUE(exists("/var/lib/cairn/cairn.json"));

  EXPECT_THAT(dpkg({"--purge", "cairn"}), HasSubstr("/var/lib/cairn is kept"));
  EXPECT_FALSE(exists(kServiceOptions));
  EXPECT_FALSE(exists(kServiceConfig));
  EXPECT_TRUE(root_.run({"getent", "passwd", "cairn"}).exit.clean());

  dpkg({"--install", package});
  configure("", "CAIRN_LISTEN=127.0.0.1:0\n");
  service = start_service();
  EXPECT_THAT(cairn({"read", "order-42"}), HasSubstr(R"({"total":12})"));
  stop(*service);

  // An empty folder holds nothing that anybody could miss.
  for (const auto& entry : fs::directory_iterator(root_ / "/var/lib/cairn")) fs::remove_all(entry.path());
  EXPECT_THAT(dpkg({"--purge", "cairn"}), Not(HasSubstr("is kept")));
  EXPECT_FALSE(exists("/var/lib/cairn"));
}

}  // namespace
}  // namespace cairn::test
