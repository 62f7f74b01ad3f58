#pragma once

#include <filesystem>
#include <string_view>

#include "api/access/token_file.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// Changes of a token file. All other lines and comments stay as they are, as do its owner and rights; a new
// file is only its owner's. A change is durable when it returns, and a reader sees the file before it or
// after it, never half of it. Two who change it at once wait for each other. A file with a wrong line is
// not changed: kInvalidArgument, as read_token_file() has it.

// Adds a line, and makes the file when there is none. kFailedPrecondition when the name is taken.
Status add_token(const std::filesystem::path& path, const Token& token);

// Takes the line of this name out. kNotFound when there is no such name or no file.
Status remove_token(const std::filesystem::path& path, std::string_view name);

}  // namespace cairn::api
