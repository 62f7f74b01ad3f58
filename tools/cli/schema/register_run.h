#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_file.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// Registers schemas one after the other, with the upcasters that lead to them.
class RegisterRun {
 public:
  struct Schema {
    std::string subject;
    std::string path;
    bool is_new = false;
    int version = 0;
    int id = 0;
  };
  struct InstalledScript {
    std::string subject;
    std::string path;
    bool is_new = false;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  // REQUIRES: the client outlives this.
  explicit RegisterRun(api::Client& client) : client_(client), registry_(client) {}

  // Stops at the first file that is refused. Fails with the client's error, or with kFailedPrecondition and
  // the server's reason when the server refuses. REQUIRES: the files are in registration_order(), and every
  // upcaster loads (load_upcaster_for).
  Status add_all(const std::vector<SchemaFile>& files);

  // The files that were registered, also those before an error.
  const std::vector<Schema>& schemas() const { return schemas_; }
  const std::vector<InstalledScript>& scripts() const { return scripts_; }

  // The body of the server's refusal, or "".
  const std::string& refusal() const { return refusal_; }

 private:
  Status add(const SchemaFile& file);
  Status add_new(const SchemaFile& file);
  Status confirm_upcaster(const SchemaFile& file);
  Status deploy_upcaster(const SchemaFile& file);
  Error refused(const std::string& path, const api::Answer& answer);

  api::Client& client_;
  RegistryClient registry_;
  std::vector<Schema> schemas_;
  std::vector<InstalledScript> scripts_;
  std::vector<const SchemaFile*> there_already_;  // and have an upcaster
  std::string refusal_;
};

}  // namespace cairn::cli
