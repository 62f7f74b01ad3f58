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

  // Stops at the first that is refused. An error is that of the client, or kFailedPrecondition when the
  // server refused, with its reason. REQUIRES: the files stand in an order that works, and every upcaster
  // loads (load_upcaster_for).
  Status add_all(const std::vector<SchemaFile>& files);

  // What was done, also before an error.
  const std::vector<Schema>& schemas() const { return schemas_; }
  const std::vector<InstalledScript>& scripts() const { return scripts_; }

  // What the server answered when it refused, or "".
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
