#pragma once

#include <filesystem>

namespace cairn::test {

// Writes a certificate for 127.0.0.1 and localhost that vouches for itself, and its key, as PEM files. Valid
// for a day. Ends the test program when it cannot.
void make_certificate(const std::filesystem::path& certificate, const std::filesystem::path& key);

}  // namespace cairn::test
