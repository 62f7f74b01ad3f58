#pragma once

namespace cairn::cli {

// The exit codes. They are documented, and scripts depend on them.
inline constexpr int kExitOk = 0;
inline constexpr int kExitNo = 1;           // the answer is no: damaged, refused, failed
inline constexpr int kExitUsage = 2;        // the command line is not valid
inline constexpr int kExitUnreachable = 3;  // the server is unreachable
inline constexpr int kExitWarned = 4;       // it is done, and the result needs attention

}  // namespace cairn::cli
