#include "tools/cli/serve/reloader.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "api/access/token_file.h"
#include "eventstore/base/assert.h"
#include "eventstore/base/time_text.h"

namespace cairn::cli {

namespace {

// "2027-01-31T12:00:00Z"
std::string end_of(const api::TlsContext& certificate) {
  const auto end = certificate.valid_until();
  if (!end) return "";
  const auto text = time_text(*end);
  return std::string(text.data(), 19) + "Z";
}

void add_certificate_end(LogEvent& event, const api::TlsContext& certificate) {
  const std::string end = end_of(certificate);
  if (end.empty()) return;
  event.message += ", the certificate is valid until " + end;
  event.add("certificateEnds", end);
}

}  // namespace

Result<Access> read_access(const AccessFiles& files, const LogSink& log) {
  Access access;
  if (!files.tokens.empty()) {
    CAIRN_TRY(auto tokens, api::read_token_file(files.tokens));
    log_to(log, LogEvent(LogLevel::kInfo, "tokens-read",
                         fmt::format("{} tokens read from {}", tokens.size(), files.tokens))
                    .with("file", files.tokens)
                    .with("tokens", tokens.size()));
    if (api::is_open_to_others(files.tokens)) {
      log_to(log, LogEvent(LogLevel::kWarning, "tokens-readable",
                           files.tokens + " can be read by other users; chmod 600 restricts it to its owner.")
                      .with("file", files.tokens));
    }
    access.tokens.emplace(std::move(tokens));
  }
  if (!files.tls_certificate.empty()) {
    CAIRN_TRY(access.tls, api::TlsContext::load({files.tls_certificate, files.tls_key}));
    LogEvent event(LogLevel::kInfo, "certificate-read", files.tls_certificate + " read");
    event.add("file", files.tls_certificate);
    add_certificate_end(event, *access.tls);
    log_to(log, event);
  }
  return access;
}

void Reloader::attach(api::HttpServer& server) {
  const MutexLock lock(mutex_);
  server_ = &server;
}

// The files may have changed since the start. A pipe would block the server until another program writes to it,
// and a token file without tokens would lock out everybody, also the operator who wants to correct it.
Result<Access> Reloader::read_again() const {
  for (const std::string& file : {files_.tokens, files_.tls_certificate, files_.tls_key}) {
    std::error_code error;
    if (file.empty() || std::filesystem::is_regular_file(file, error)) continue;
    return make_error(Errc::kInvalidArgument,
                      error ? fmt::format("{}: {}", file, error.message()) : file + " is not a regular file");
  }
  CAIRN_TRY(Access access, read_access(files_, log_.sink()));
  if (access.tokens && access.tokens->size() == 0) {
    return make_error(Errc::kInvalidArgument,
                      files_.tokens + " has no token: no client could use the server");
  }
  return access;
}

Result<api::Reloaded> Reloader::reload(std::string_view cause) {
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(server_ != nullptr);
  auto access = read_again();
  if (!access) {
    log_.write(LogEvent(LogLevel::kError, "reload-failed",
                        "The reload failed, and nothing has changed: " + access.error().message)
                   .with("cause", cause)
                   .with("error", access.error().message));
    return access.error();
  }
  api::Reloaded reloaded;
  if (access->tokens) reloaded.tokens = access->tokens->size();
  reloaded.certificate = access->tls != nullptr;
  LogEvent event(LogLevel::kInfo, "reloaded", "Reloaded");
  if (!reloaded.tokens && !reloaded.certificate) {
    event.message += ": the server has neither tokens nor a certificate";
  } else {
    event.message += fmt::format(" {}{}{}", reloaded.tokens ? files_.tokens : "",
                                 reloaded.tokens && reloaded.certificate ? " and " : "",
                                 reloaded.certificate ? files_.tls_certificate : "");
  }
  event.add("cause", cause);
  if (reloaded.tokens) {
    event.message += fmt::format(": {} tokens", *reloaded.tokens);
    event.add("tokens", *reloaded.tokens);
  }
  if (access->tls != nullptr) add_certificate_end(event, *access->tls);
  server_->reload(std::move(access->tokens), std::move(access->tls));
  log_.write(event);
  return reloaded;
}

}  // namespace cairn::cli
