#pragma once

#include <filesystem>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/io_fault_control.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// Which system call of a child fails, when and how.
struct IoFault {
  std::filesystem::path folder;
  std::string suffix;  // empty: every file in the folder
  std::uint32_t calls = kIoAny;
  std::uint64_t bytes_max = 0;
  std::uint64_t at = 0;
  bool forever = false;
  IoEffect effect = IoEffect::kBefore;
  IoAction action = IoAction::kError;
  int error = 5;  // EIO
};

// The test's side of io_fault_preload: arms and disarms faults in a running child.
class IoFaultPanel {
 public:
  IoFaultPanel();
  ~IoFaultPanel();
  IoFaultPanel(const IoFaultPanel&) = delete;
  IoFaultPanel& operator=(const IoFaultPanel&) = delete;

  // Connects the child of `command` with this panel.
  void connect(ChildProcess::Command& command) const;

  // Counters start again from 0.
  void arm(const IoFault& fault);
  void disarm();

  std::uint64_t matched() const { return control_->matched.load(); }
  std::uint64_t fired() const { return control_->fired.load(); }
  std::uint64_t later() const { return control_->later.load(); }

 private:
  TempFolder folder_;
  IoFaultControl* control_;
};

}  // namespace cairn::test
