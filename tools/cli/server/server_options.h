#pragma once

#include <chrono>
#include <string>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The options of every command that is a client of a server.
struct ServerOptions {
  std::string url = "http://127.0.0.1:7878";
  std::string token_file;
  std::string ca_file;
  bool json = false;
};

// Adds --url, --token-file, --ca-file and --json. REQUIRES: `options` outlives the parsing.
void add_server_options(CLI::App& command, ServerOptions& options);

// A client for that server, with the token of --token-file, or else of CAIRN_TOKEN or CAIRN_TOKEN_FILE; a
// token on the command line would be visible to all users of the machine. `silence` is the timeout of an answer.
// kInvalidArgument when an option is not valid.
Result<api::Client> make_client(const ServerOptions& options,
                                std::chrono::milliseconds silence = api::ClientOptions().silence_timeout);

}  // namespace cairn::cli
