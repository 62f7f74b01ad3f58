#include "tools/cli/serve/reloader.h"

#include <spdlog/spdlog.h>

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

Result<api::Reloaded> Reloader::reload() {
  const MutexLock lock(mutex_);
  CAIRN_ASSERT(server_ != nullptr);
  auto access = read_access(files_);
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
