#include "tools/cli/server/server_options.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>

#include "api/client/server_url.h"
#include "tools/cli/server/secret_variable.h"

namespace cairn::cli {

namespace {

Result<std::string> find_token(const ServerOptions& options) {
  if (!options.token_file.empty()) return secret_in(options.token_file, "--token-file");
  CAIRN_TRY(const auto secret, secret_variable("CAIRN_TOKEN"));
  return secret ? secret->text : "";
}

// Names the variable when the URL comes from it, because the URL is not on the command line then.
std::string url_source(const std::string& url) {
  const char* variable = std::getenv("CAIRN_URL");
  return variable != nullptr && url == variable ? "CAIRN_URL" : "--url";
}

}  // namespace

void add_server_options(CLI::App& command, ServerOptions& options) {
  command.add_option("--url", options.url, "The server")
      ->type_name("URL")
      ->envname("CAIRN_URL")
      ->capture_default_str()
      ->group("Server");
  command
      .add_option("--token-file", options.token_file,
                  "A file with the token; without it the variable CAIRN_TOKEN is used, or the file that "
                  "CAIRN_TOKEN_FILE names")
      ->type_name("FILE")
      ->group("Server");
  command.add_option("--ca-file", options.ca_file, "Trust these certificates (PEM) for https://")
      ->type_name("FILE")
      ->envname("CAIRN_CA_FILE")
      ->group("Server");
  command.add_flag("--json", options.json, "Print JSON");
}

Result<api::Client> make_client(const ServerOptions& options, std::chrono::milliseconds silence) {
  std::signal(SIGPIPE, SIG_IGN);  // A lost connection is reported as an error.
  api::ClientOptions client;
  client.url = options.url;
  client.ca_file = options.ca_file;
  client.silence_timeout = silence;
  if (const auto url = api::parse_server_url(options.url); !url) {
    return make_error(url.error().code, url_source(options.url) + ": " + url.error().message);
  }
  CAIRN_TRY(client.token, find_token(options));
  return api::Client::make(client);
}

}  // namespace cairn::cli
