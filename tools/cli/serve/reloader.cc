#include "tools/cli/serve/reloader.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "api/access/token_file.h"
#include "eventstore/base/assert.h"

namespace cairn::cli {

Result<Access> read_access(const AccessFiles& files) {
  Access access;
  if (!files.tokens.empty()) {
    CAIRN_TRY(auto tokens, api::read_token_file(files.tokens));
    spdlog::info("{} tokens read from {}", tokens.size(), files.tokens);
    if (api::is_open_to_others(files.tokens)) {
      spdlog::warn("{} can be read by other users; chmod 600 restricts it to its owner.", files.tokens);
    }
    access.tokens.emplace(std::move(tokens));
  }
  if (!files.tls_certificate.empty()) {
    CAIRN_TRY(access.tls, api::TlsContext::load({files.tls_certificate, files.tls_key}));
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
  CAIRN_TRY(Access access, read_access(files_));
  if (access.tokens && access.tokens->size() == 0) {
    return make_error(Errc::kInvalidArgument,
                      files_.tokens + " has no token: no client could use the server");
  }
  return access;
}

Result<api::Reloaded> Reloader::reload() {
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(server_ != nullptr);
  auto access = read_again();
  if (!access) {
    spdlog::error("The reload failed, and nothing has changed: {}", access.error().message);
    return access.error();
  }
  api::Reloaded reloaded;
  if (access->tokens) reloaded.tokens = access->tokens->size();
  reloaded.certificate = access->tls != nullptr;
  server_->reload(std::move(access->tokens), std::move(access->tls));
  if (!reloaded.tokens && !reloaded.certificate) {
    spdlog::info("Reloaded: the server has neither tokens nor a certificate");
  } else {
    spdlog::info("Reloaded {}{}{}", reloaded.tokens ? files_.tokens : "",
                 reloaded.tokens && reloaded.certificate ? " and " : "",
                 reloaded.certificate ? files_.tls_certificate : "");
  }
  return reloaded;
}

}  // namespace cairn::cli
