#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http/problem.h"
#include "projections/daemon/projection_daemon.h"

namespace cairn::api {

// What a client is told when something cannot be done with a projection. `field` is the part of the request
// that kInvalidArgument is about. What only the operator should know goes to the log.
Problem projection_problem(const ProjectionDaemon& daemon, const std::string& name, const Error& error,
                           std::string_view field = "name");

// The same when a script is not taken.
Problem projection_refusal(const ProjectionDaemon& daemon, const std::string& name,
                           const ProjectionRefusal& refusal);

// The same for what is parked at a key, where kNotFound may also mean that nothing is.
Problem parked_problem(const ProjectionDaemon& daemon, const std::string& name, const std::string& key,
                       const Error& error);

// The rows are not as far as the client wants them.
Problem rows_behind(GlobalPosition position, GlobalPosition wanted);

// There are no rows to answer from yet, and this is how far they are. `wanted` is the position that was asked
// for, where one was.
Problem rows_being_built(const ProjectionStatus& status, std::optional<GlobalPosition> wanted);

// There is no such row; the rows have the log through `position`.
Problem no_such_row(std::string_view key, GlobalPosition position, std::uint64_t generation);

// The server was told to leave projections alone.
Problem projections_off();

}  // namespace cairn::api
