#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "eventstore/base/result.h"

namespace cairn::bench {

// `cairn serve` as users run it: a process of its own, on loopback and a free port. Stopped at the end.
class HttpServerProcess {
 public:
  // Starts `program` on a new store in `folder` and waits until it serves. Without a file of tokens it needs
  // none.
  static Result<HttpServerProcess> start(const std::filesystem::path& program,
                                         const std::filesystem::path& folder,
                                         const std::filesystem::path& tokens = {});

  HttpServerProcess(HttpServerProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), port_(other.port_) {}
  HttpServerProcess& operator=(HttpServerProcess&&) = delete;
  ~HttpServerProcess();

  std::uint16_t port() const { return port_; }

 private:
  HttpServerProcess(pid_t pid, std::uint16_t port) : pid_(pid), port_(port) {}

  pid_t pid_;
  std::uint16_t port_;
};

}  // namespace cairn::bench
