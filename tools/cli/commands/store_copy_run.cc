#include "tools/cli/commands/store_copy_run.h"

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/cli/server/interruption.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

// Messages quote file names and stored bytes, which may not be UTF-8.
void print_copy_json(const ordered_json& json) {
  std::cout << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

int report_no_copy(const StoreCopyRun& run, const Error& error) {
  if (run.json) {
    print_copy_json({{"error", to_string(error.code)}, {"message", error.message}});
  } else {
    std::cerr << "cairn: nothing was " << run.done_word << ": " << error.message << '\n';
    if (error.code == Errc::kCorruption && run.check == CopyCheck::kBoth) {
      std::cerr << "  `cairn verify --data " << run.from
                << " --json` lists it. Where only the index is damaged, --no-verify copies the rest, and the "
                   "index is made again.\n";
    }
  }
  return error.code == Errc::kInvalidArgument ? kExitUsage : kExitNo;
}

void print_copied(const StoreCopyRun& run, const CopyReport& report, double seconds) {
  const bool checked = run.check != CopyCheck::kNothing;
  if (run.json) {
    print_copy_json({{"from", run.from},
                     {"to", run.to},
                     {"storeId", report.store_id},
                     {"events", report.head},
                     {"head", report.head},
                     {"headHash", report.head_hash},
                     {"blocks", report.blocks},
                     {"logBytes", report.log_bytes},
                     {"indexedThrough", report.indexed_through},
                     {"snapshots", report.snapshots},
                     {"indexLeftOut",
                      report.index_left_out.empty() ? ordered_json() : ordered_json(report.index_left_out)},
                     {"bytes", report.bytes},
                     {"seconds", seconds},
                     {"verified", checked}});
    return;
  }
  std::cout << counted(report.head, "event") << ' ' << run.done_word << " to " << run.to
            << " through position " << grouped(report.head) << ": " << byte_size(report.bytes) << " in "
            << duration_text(seconds) << (checked ? ", verified" : ", not verified") << '\n';
  if (!report.head_hash.empty()) std::cout << "head hash " << report.head_hash << '\n';
}

}  // namespace

int run_store_copy(const StoreCopyRun& run) {
  const auto began = std::chrono::steady_clock::now();
  Interruption interruption([] {});
  const Result<CopyReport> report = [&] {
    ProgressBar bar;
    return copy_store(run.from, run.to,
                      {.check = run.check,
                       .progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
                         bar.update(stage, done, total);
                         return !interruption.arrived();
                       }});
  }();
  if (!report && interruption.arrived()) {
    std::cerr << "cairn: interrupted; nothing was " << run.done_word << '\n';
    return kExitNo;
  }
  if (!report) return report_no_copy(run, report.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!report->index_left_out.empty()) {
    std::cerr << "warning: the index in " << run.from
              << " is damaged and was left out: " << report->index_left_out
              << ". It is made from the log when the copy is first served\n";
  }
  print_copied(run, *report, took.count());
  return kExitOk;
}

}  // namespace cairn::cli
