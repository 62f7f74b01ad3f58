#pragma once

#include <string>

#include "upcasters/deploy/deployer.h"
#include "upcasters/model/upcaster.h"

namespace cairn::api {

enum class WithSource : bool { kNo, kYes };

// Appends {"type","from","to","revision","fingerprint","position","installedAt"}, with "produces" and
// "source" if `with_source` says so.
void append_upcaster_json(std::string& to, const Upcaster& upcaster, WithSource with_source);

// {"type","from","to","checked","failed":0,"fingerprint","revision","dryRun","unchanged"}
std::string to_json(const Deployed& deployed, DryRun dry_run);

// {"position","head","checked","failed"}
std::string to_json(const VerificationProgress& progress);

}  // namespace cairn::api
