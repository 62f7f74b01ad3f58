#include "api/metrics/process_metrics.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cairn::api {

namespace {

prometheus::MetricFamily process_family(const char* name, const char* help, prometheus::MetricType type,
                                        double value) {
  prometheus::ClientMetric metric;
  metric.counter.value = value;
  metric.gauge.value = value;
  return {name, help, type, {metric}};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

std::vector<prometheus::MetricFamily> process_metrics() {
  constexpr auto kCounter = prometheus::MetricType::Counter;
  constexpr auto kGauge = prometheus::MetricType::Gauge;
  std::vector<prometheus::MetricFamily> families;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    families.push_back(process_family("process_cpu_seconds_total", "Processor time, of user and system",
                                      kCounter, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)));
  }
  std::uint64_t virtual_pages = 0, resident_pages = 0;
  if (std::ifstream("/proc/self/statm") >> virtual_pages >> resident_pages) {
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    families.push_back(process_family("process_resident_memory_bytes",
                                      "Memory that is in use, with the pages of mapped files", kGauge,
                                      static_cast<double>(resident_pages) * page));
    families.push_back(process_family("process_virtual_memory_bytes",
                                      "Addresses that are in use; the maps of log and index take most",
                                      kGauge, static_cast<double>(virtual_pages) * page));
  }
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (!error) {
    // Without the one that reads the folder.
    const auto open = std::distance(begin(files), end(files)) - 1;
    families.push_back(
        process_family("process_open_fds", "Open file descriptors", kGauge, static_cast<double>(open)));
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    families.push_back(process_family("process_max_fds", "Limit of open file descriptors", kGauge,
                                      static_cast<double>(limit.rlim_cur)));
  }
  return families;
}

}  // namespace cairn::api
