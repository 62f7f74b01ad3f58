#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"

namespace cairn::api {

struct TlsFiles {
  std::filesystem::path certificate;  // PEM, followed by its chain
  std::filesystem::path key;          // PEM
};

// The server's certificate, key and TLS settings: TLS 1.2 and later. Thread-safe once loaded.
class TlsContext {
 public:
  // Fails with kInvalidArgument when a file cannot be read, or the key does not match the certificate.
  static Result<std::unique_ptr<TlsContext>> load(const TlsFiles& files);

  // When the certificate ends to be valid; nullopt when it does not say so in a way that is understood.
  std::optional<Timestamp> valid_until() const;

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
