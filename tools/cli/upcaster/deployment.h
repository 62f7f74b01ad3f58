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

// Sends the script to be tried on all history and installed, and shows on stderr how far that is. The body of
// the answer is the result, or with a status from 400 the problem, whichever way the server sent it.
//
// Errors are those of the client; kOutcomeUnknown too when the answer ended before there was a result.
Result<api::Answer> deploy(api::Client& client, const Deployment& deployment);

}  // namespace cairn::cli
