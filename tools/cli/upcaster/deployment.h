#pragma once

#include <string>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/upcaster/upcaster_file.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// An upcaster to be deployed.
struct Deployment {
  UpcasterFile file;
  UpcasterHeader header;
  bool dry_run = false;
};

// Sends the script to the server, which runs it over all stored events and installs it if it never fails, and
// shows progress on stderr. The body of the answer is the result, or the problem when the status is 400 or
// above, however the server sent it.
//
// Fails with the client's errors, and with kOutcomeUnknown when the answer ends without a result.
Result<api::Answer> deploy(api::Client& client, const Deployment& deployment);

}  // namespace cairn::cli
