#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/base/file.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/serve/disk_facts.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

// Below these the disk may be full before an operator has seen an alert.
constexpr std::uint64_t kFreeBytesMin = 1u << 30;
constexpr std::uint64_t kFreeInodesMin = 1'000;
// How often a sync is measured, and what an append would wait for at the median.
constexpr std::size_t kSyncs = 32;
constexpr std::chrono::milliseconds kSyncMax{20};
// One descriptor for each connection, and those of the store.
constexpr std::uint64_t kOpenFilesMin = 8'192;

struct DoctorArguments {
  std::string data = "./cairn-data";
  bool json = false;
};

enum class Verdict { kOk, kWarning, kFailed };

struct Check {
  const char* name;
  Verdict verdict = Verdict::kOk;
  std::string text;
};

const char* to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kFailed:
      return "failed";
  }
  return "?";
}

// `place` is the data folder, or where it will be made.
Check check_folder(const std::filesystem::path& place) {
  std::error_code error;
  if (!std::filesystem::is_directory(place, error))
    return {"folder", Verdict::kFailed, place.string() + " is not a folder"};
  if (::access(place.c_str(), W_OK | X_OK) != 0)
    return {"folder", Verdict::kFailed, place.string() + ": " + std::strerror(errno)};
  return {"folder", Verdict::kOk, place.string()};
}

Check check_file_system(const DiskFacts& facts) {
  if (facts.file_system.empty()) return {"file system", Verdict::kWarning, "the kernel does not say which"};
  constexpr std::array kVirtual{"proc",    "sysfs",   "devpts",  "cgroup",
                                "cgroup2", "debugfs", "tracefs", "securityfs"};
  constexpr std::array kNetwork{"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "coda"};
  const std::string text = fmt::format("{} of {} at {}", facts.file_system, facts.source, facts.mount_point);
  if (std::find(kNetwork.begin(), kNetwork.end(), facts.file_system) != kNetwork.end())
    return {"file system", Verdict::kFailed, text + ": a store is not safe on a network file system"};
  if (std::find(kVirtual.begin(), kVirtual.end(), facts.file_system) != kVirtual.end())
    return {"file system", Verdict::kFailed, text + ": it has no files of its own"};
  if (std::find(facts.options.begin(), facts.options.end(), "ro") != facts.options.end())
    return {"file system", Verdict::kFailed, text + ": mounted read-only"};
  return {"file system", Verdict::kOk, text};
}

Check check_durability(const DiskFacts& facts) {
  const std::vector<std::string> reasons = reasons_for_distrust(facts);
  if (!reasons.empty()) return {"durability", Verdict::kFailed, fmt::format("{}", fmt::join(reasons, "; "))};
  return {"durability", Verdict::kOk,
          facts.kernel_cache.empty() ? "nothing speaks against syncs reaching the disk"
                                     : "syncs reach the disk; its write cache: " + facts.kernel_cache};
}

Check check_space(const std::filesystem::path& place) {
  struct statvfs disk {};
  if (::statvfs(place.c_str(), &disk) != 0) return {"space", Verdict::kFailed, std::strerror(errno)};
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::uint64_t all = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  const std::string text = byte_size(free) + " of " + byte_size(all) + " free";
  if (free < kFreeBytesMin)
    return {"space", Verdict::kWarning, text + ", less than " + byte_size(kFreeBytesMin)};
  if (disk.f_files != 0 && disk.f_favail < kFreeInodesMin)
    return {"space", Verdict::kWarning, fmt::format("{}, but only {} inodes", text, grouped(disk.f_favail))};
  return {"space", Verdict::kOk, text};
}

// Writes 4 KiB and syncs, as a small append does, to a file without a name.
Check check_syncs(const std::filesystem::path& place) {
  auto file = File::open(place, O_RDWR | O_TMPFILE);
  if (!file) return {"sync latency", Verdict::kWarning, "not measured: " + file.error().message};
  using Clock = std::chrono::steady_clock;
  const std::array<char, 4096> page{};
  std::vector<std::chrono::microseconds> took;
  for (std::size_t i = 0; i < kSyncs; ++i) {
    const auto begin = Clock::now();
    if (::pwrite(file->descriptor(), page.data(), page.size(), static_cast<off_t>(i * page.size())) !=
            static_cast<ssize_t>(page.size()) ||
        ::fdatasync(file->descriptor()) != 0)
      return {"sync latency", Verdict::kFailed, std::string("a sync fails: ") + std::strerror(errno)};
    took.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin));
  }
  std::sort(took.begin(), took.end());
  const auto median = took[took.size() / 2];
  const std::string text =
      fmt::format("{:.2f} ms, at worst {:.2f} ms of {}", static_cast<double>(median.count()) / 1'000,
                  static_cast<double>(took.back().count()) / 1'000, kSyncs);
  if (median > kSyncMax) return {"sync latency", Verdict::kWarning, text + ": every append waits for one"};
  return {"sync latency", Verdict::kOk, text};
}

Check check_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {"open files", Verdict::kWarning, std::strerror(errno)};
  if (limit.rlim_max == RLIM_INFINITY) return {"open files", Verdict::kOk, "unlimited"};
  const std::string text = "at most " + grouped(limit.rlim_max);
  if (limit.rlim_max < kOpenFilesMin)
    return {"open files", Verdict::kWarning,
            text + ", one for each connection; raise the hard limit to " + grouped(kOpenFilesMin)};
  return {"open files", Verdict::kOk, text};
}

void print_checks(const std::string& folder, const std::vector<Check>& checks, bool sound) {
  const bool colour = wants_colour(STDOUT_FILENO);
  std::cout << folder
            << (sound ? " is on a disk that can be trusted, as far as can be known.\n"
                      : " is not where a store should be.\n");
  for (const Check& check : checks) {
    const Colour tint = check.verdict == Verdict::kOk        ? Colour::kGreen
                        : check.verdict == Verdict::kWarning ? Colour::kYellow
                                                             : Colour::kRed;
    const std::string verdict = fmt::format("{:<9}", to_text(check.verdict));
    std::cout << "  " << coloured(verdict, tint, colour) << std::left << std::setw(14) << check.name
              << check.text << '\n';
  }
}

int run_doctor(const DoctorArguments& arguments) {
  const std::filesystem::path place = nearest_existing(arguments.data);
  const DiskFacts facts = disk_facts(place);
  const std::vector<Check> checks = {check_folder(place), check_file_system(facts), check_durability(facts),
                                     check_space(place),  check_syncs(place),       check_open_files()};
  const bool sound = std::none_of(checks.begin(), checks.end(),
                                  [](const Check& check) { return check.verdict == Verdict::kFailed; });
  if (arguments.json) {
    auto list = nlohmann::json::array();
    for (const Check& check : checks)
      list.push_back({{"name", check.name}, {"verdict", to_text(check.verdict)}, {"text", check.text}});
    std::cout
        << nlohmann::json{{"sound", sound}, {"folder", arguments.data}, {"checks", std::move(list)}}.dump(2)
        << '\n';
  } else {
    print_checks(arguments.data, checks, sound);
  }
  return sound ? kExitOk : kExitNo;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("doctor", "Check the disk and the limits that a server depends on");
  command.footer(
      "\nChecks the file system of a data folder, or of where it will be: its kind, mount options and write "
      "cache, the\n"
      "space, how long a sync takes, and the limit of open files. Leaves nothing behind, and may run beside "
      "a "
      "server.\n"
      "The exit code is 1 when acknowledged events could be lost there. `cairn verify` checks the events.\n"
      "\nExamples:\n"
      "  cairn doctor --data /var/lib/cairn\n"
      "  cairn doctor --data /var/lib/cairn --json | jq .sound");
  auto arguments = std::make_shared<DoctorArguments>();
  command.add_option("--data", arguments->data, "The data folder")
      ->type_name("DIR")
      ->envname("CAIRN_DATA")
      ->capture_default_str();
  command.add_flag("--json", arguments->json, "Print JSON");
  run_after_parsing(command, action, [arguments] { return run_doctor(*arguments); });
}

}  // namespace cairn::cli
