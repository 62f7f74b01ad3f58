#pragma once

namespace cairn::cli {

// What scripts may rely on.
inline constexpr int kExitOk = 0;
inline constexpr int kExitNo = 1;           // the answer is no: damaged, refused, failed
inline constexpr int kExitUsage = 2;        // the command line makes no sense
inline constexpr int kExitUnreachable = 3;  // there is no server to talk to

}  // namespace cairn::cli
