#pragma once

#include <filesystem>
#include <memory>

#include "eventstore/base/result.h"

namespace cairn::api {

struct TlsFiles {
  std::filesystem::path certificate;  // PEM, with the chain behind it
  std::filesystem::path key;          // PEM
};

// What the server proves itself with: TLS 1.2 and later.
class TlsContext {
 public:
  // Fails with kInvalidArgument when a file cannot be read, or key and certificate do not belong together.
  static Result<std::unique_ptr<TlsContext>> load(const TlsFiles& files);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  struct Native;
  Native& native() { return *native_; }

 private:
  explicit TlsContext(std::unique_ptr<Native> native);
  std::unique_ptr<Native> native_;
};

}  // namespace cairn::api
