#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/http/problem.h"
#include "projections/daemon/read_models.h"

namespace cairn::api {

// The problem that a client gets when an operation on a projection fails. `field` is the part of the request
// that kInvalidArgument is about. Details that only the operator should see go to the log.
Problem projection_problem(const ReadModels& models, const std::string& name, const Error& error,
                           std::string_view field = "name");

// The same for a script that is refused.
Problem projection_refusal(const ReadModels& models, const std::string& name,
                           const ProjectionRefusal& refusal);

// The same for the parked events of a key, where kNotFound may also mean that none are parked.
Problem parked_problem(const ReadModels& models, const std::string& name, const std::string& key,
                       const Error& error);

// The rows have not reached the position that the client asks for.
Problem rows_behind(GlobalPosition position, GlobalPosition wanted);

// The rows are being built for the first time; `status` has the progress. `wanted` is the position that the
// client asks for, if any.
Problem rows_being_built(const ProjectionStatus& status, std::optional<GlobalPosition> wanted);

// There is no such row; the rows are built up to `position`.
Problem no_such_row(std::string_view key, GlobalPosition position, std::uint64_t generation);

// The server runs with --projections off.
Problem projections_off();

}  // namespace cairn::api
