#pragma once

#include <filesystem>
#include <string_view>

#include "api/access/token_file.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// Changes of a token file. Other lines, comments, owner and mode of the file are preserved; a new file has
// mode 0600. A change is atomic, and durable when the function returns. Concurrent changes, also by other
// processes, wait for each other. A file with an invalid line is not changed: kInvalidArgument, as from
// read_token_file().

// Adds a token; creates the file if it does not exist. kFailedPrecondition when the name is taken.
Status add_token(const std::filesystem::path& path, const Token& token);

// Removes the token of this name. kNotFound when there is no such token or no file.
Status remove_token(const std::filesystem::path& path, std::string_view name);

}  // namespace cairn::api
