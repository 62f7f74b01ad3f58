#include "tools/bench/compare/machine.h"

#include <fcntl.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "tools/bench/compare/rounds.h"
#include "tools/bench/figures.h"
#include "tools/bench/temp_folder.h"

namespace cairn::bench {
namespace {

constexpr int kSyncs = 200;

// Above this, woken threads wait for a core, and the figures measure the load of other processes.
constexpr double kBusyShareMax = 0.15;

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown CPU";
}

// Clock ticks since the start of the machine, over all cores.
struct CpuTicks {
  double busy = 0;
  double idle = 0;
};

CpuTicks cpu_ticks() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0;
  stat >> name >> user >> nice >> system >> idle >> waiting >> hard >> soft;
  return {user + nice + system + hard + soft, idle + waiting};
}

std::string percent_text(double share) { return std::to_string(static_cast<int>(share * 100 + 0.5)) + " %"; }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

Result<double> median_sync_us(const std::filesystem::path& folder) {
  const std::string name = (folder / "sync-probe").string();
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return system_error("open " + name, errno);
  const std::string block(4096, 'x');
  std::vector<double> samples;
  bool failed = false;
  for (int i = 0; i < kSyncs && !failed; ++i) {
    const auto began = std::chrono::steady_clock::now();
    failed = pwrite(file, block.data(), block.size(), 0) != static_cast<ssize_t>(block.size()) ||
             fdatasync(file) != 0;
    samples.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count());
  }
  const int failure = errno;
  close(file);
  unlink(name.c_str());
  if (failed) return system_error("write and sync " + name, failure);
  return median(std::move(samples));
}

}  // namespace

double busy_share() {
  const CpuTicks before = cpu_ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const CpuTicks after = cpu_ticks();
  const double busy = after.busy - before.busy;
  const double all = busy + after.idle - before.idle;
  return all > 0 ? busy / all : 0;
}

Result<Machine> describe_machine(const std::filesystem::path& folder) {
  Machine machine;
  machine.date = utc_now();
  machine.cpu = cpu_model();
  machine.cores = std::thread::hardware_concurrency();
  struct sysinfo info = {};
  if (sysinfo(&info) == 0) machine.memory_bytes = static_cast<double>(info.totalram) * info.mem_unit;
  utsname name = {};
  if (uname(&name) == 0) machine.kernel = std::string(name.sysname) + " " + name.release;
  machine.file_system = file_system_name(folder);
  machine.busy_before = busy_share();
  CAIRN_TRY(machine.sync_us, median_sync_us(folder));
  return machine;
}

std::vector<std::string> describe(const Machine& machine) {
  std::vector<std::string> lines = {
      "date: " + machine.date,
      "machine: " + machine.cpu + ", " + std::to_string(machine.cores) + " cores, " +
          bytes_text(machine.memory_bytes) + " of memory, " + machine.kernel,
      "disk: " + machine.file_system + ", 4 KiB written and synced in " + micros_text(machine.sync_us),
      "versions: Cairn " + machine.cairn + ", PostgreSQL " + machine.postgres + ", SQLite " + machine.sqlite,
      "busy with other work: " + percent_text(machine.busy_before) + " of the cores before the first case, " +
          percent_text(machine.busy_after) + " after the last",
  };
  if (std::max(machine.busy_before, machine.busy_after) > kBusyShareMax) {
    lines.push_back("WARNING: the machine was not idle; these figures are not to be trusted.");
  }
  return lines;
}

}  // namespace cairn::bench
