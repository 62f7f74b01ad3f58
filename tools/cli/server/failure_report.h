#pragma once

#include <string>

#include "api/client/client.h"
#include "eventstore/base/error.h"

namespace cairn::cli {

// Prints a usage error on stderr; returns kExitUsage.
int report_usage(const std::string& message);

// Prints on stderr that the server did not answer; returns kExitUnreachable.
int report_unreachable(const Error& error);

// Prints the error on stderr, and returns its exit code: kExitUnreachable when there was no answer (the
// errors of api::Client), kExitUsage for kInvalidArgument, kExitNo for all others.
int report_failure(const Error& error);

// Why a server refused: its own sentence, status and problem, and a line for each fault that it names.
// "Stream 'order-1' is at version 4, expected 3. (409 wrong-version)"
std::string refusal_text(const api::Answer& answer);

// The last part of the problem's type ("wrong-version"), or "" when the answer is not a Cairn problem.
std::string problem_slug(const api::Answer& answer);

// Prints the server's reason on stderr, or with `json` the server's answer on stdout; returns kExitNo.
int report_refusal(const api::Answer& answer, bool json);

}  // namespace cairn::cli
