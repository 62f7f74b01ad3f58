#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/json_encoder.h"
#include "schemaregistry/model/schema.h"
#include "tools/cli/avro/event_envelope.h"
#include "tools/cli/schema/registry_client.h"

namespace cairn::cli {

// Encodes the data of events of one type in Avro's binary form, all with one version of their schema. Data of
// another version is converted by Avro's schema resolution.
class EventShaper {
 public:
  // `version` is a number or "latest". kInvalidArgument when there is none. REQUIRES: the registry outlives
  // this.
  static Result<EventShaper> make(RegistryClient& registry, const std::string& type,
                                  const std::string& version);

  const Schema& schema() const { return *target_.schema; }
  int version() const { return target_.version; }

  // Appends the data of the event to `to`, or returns why it does not match the schema and leaves `to`
  // unchanged. Fails when the server cannot be reached.
  Result<std::optional<std::string>> append(const ExportedEvent& event, std::string& to);

 private:
  struct Version {
    int version = 0;
    std::unique_ptr<Schema> schema;  // The plan points into it.
    std::unique_ptr<JsonEncoder> encoder;
    std::unique_ptr<DecodePlan> plan;  // to the target; the target has none
  };

  EventShaper(RegistryClient& registry, std::string type, Version target)
      : registry_(&registry), type_(std::move(type)), target_(std::move(target)) {}

  static Result<std::optional<Version>> read_version(RegistryClient& registry, const std::string& type,
                                                     const std::string& version);
  Result<const Version*> find_version(int version);

  RegistryClient* registry_;
  std::string type_;
  Version target_;
  std::map<int, std::optional<Version>> others_;
  std::string written_;
  std::string json_;
};

}  // namespace cairn::cli
