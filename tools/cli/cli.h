#pragma once

#include <string>

namespace cairn::cli {

// Parses the command line, runs the command and returns the exit code of the process (exit_code.h). Throws
// nothing: an exception that reaches it is printed, and the exit code is kExitNo. Called once, by main().
int run(int argc, char** argv, const std::string& version);

}  // namespace cairn::cli
