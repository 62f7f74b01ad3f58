#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "tools/cli/doctor/doctor_check.h"

namespace cairn::cli {

// What `cairn doctor URL` knows of a server.
struct ServerFacts {
  int ready = 0;                              // the status of the answer of /ready
  std::optional<Timestamp> certificate_ends;  // nullopt: without TLS
  Timestamp asked_at;                         // by this machine's clock, in the middle of the request
  double answer_seconds = 0;
  std::string refusal;                   // why /status was refused; empty: it was not
  std::optional<Timestamp> server_time;  // the next three are from /status
  std::string server_version;
  std::vector<std::string> attention;  // "projection orders: …"
  std::string version;                 // of this program
};

// Asks /ready and /status. Fails when no server answers.
Result<ServerFacts> gather_server_facts(api::Client& client, const std::string& version);

// What the facts mean, in the order in which they are shown. Pure.
std::vector<Check> server_checks(const ServerFacts& facts);

}  // namespace cairn::cli
