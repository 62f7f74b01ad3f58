#include "tests/support/io_fault.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cairn::test {

IoFaultPanel::IoFaultPanel() {
  const auto path = folder_ / "panel";
  std::ofstream(path) << std::string(sizeof(IoFaultControl), '\0');
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* page = fd < 0 ? MAP_FAILED
                      : ::mmap(nullptr, sizeof(IoFaultControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) {
    std::perror("mapping the fault panel");
    std::abort();
  }
  ::close(fd);
  control_ = static_cast<IoFaultControl*>(page);
}

IoFaultPanel::~IoFaultPanel() { ::munmap(control_, sizeof(IoFaultControl)); }

void IoFaultPanel::connect(ChildProcess::Command& command) const {
  preload(command, test_preload("io_fault_preload"));
  command.environment.emplace_back("CAIRN_IO_FAULT", (folder_ / "panel").string());
}

void IoFaultPanel::arm(const IoFault& fault) {
  disarm();
  std::snprintf(control_->folder, sizeof control_->folder, "%s", fault.folder.c_str());
  std::snprintf(control_->suffix, sizeof control_->suffix, "%s", fault.suffix.c_str());
  control_->calls = fault.calls;
  control_->bytes_max = fault.bytes_max;
  control_->at = fault.at;
  control_->forever = fault.forever ? 1 : 0;
  control_->effect = fault.effect;
  control_->action = fault.action;
  control_->error = fault.error;
  control_->matched = 0;
  control_->fired = 0;
  control_->later = 0;
  control_->armed = 1;
}

void IoFaultPanel::disarm() { control_->armed = 0; }

}  // namespace cairn::test
