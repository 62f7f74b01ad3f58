#pragma once

#include <string>

namespace cairn::cli {

// Reads the command line, runs the command and returns the process's exit code (exit_code.h). Throws nothing.
int run(int argc, char** argv, const std::string& version);

}  // namespace cairn::cli
