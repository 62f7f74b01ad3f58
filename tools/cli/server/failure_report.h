#pragma once

#include <string>

#include "api/client/client.h"
#include "eventstore/base/error.h"

namespace cairn::cli {

// Says on stderr that the command line makes no sense; returns kExitUsage.
int report_usage(const std::string& message);

// Says on stderr that there was no answer; returns kExitUnreachable.
int report_unreachable(const Error& error);

// Says on stderr what failed, and returns the exit code it deserves: kExitUnreachable when there was no
// answer (the errors of api::Client), kExitUsage for kInvalidArgument, kExitNo for all others.
int report_failure(const Error& error);

// Why a server refused, as people read it: what it says itself, and what it found wrong where.
// "version 4 of order-1 is not the one expected (409 wrong-version)"
std::string refusal_text(const api::Answer& answer);

// The last part of the problem's type ("wrong-version"), or "" when the answer is no problem of ours.
std::string problem_slug(const api::Answer& answer);

// Says on stderr why the server refused, or with `json` prints its own words on stdout; returns kExitNo.
int report_refusal(const api::Answer& answer, bool json);

}  // namespace cairn::cli
