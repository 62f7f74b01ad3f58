#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

// A version as a server has it.
struct RegisteredSchema {
  std::string subject;
  int version = 0;
  int id = 0;
  std::string text;
  std::vector<SchemaReference> references;
  std::string json;  // the server's own words
};

enum class Deleted { kLeftOut, kIncluded };

// Speaks with a schema registry: ours, or any that keeps Confluent's contract. "Not there" is nullopt. An
// error is either that of the client, or kFailedPrecondition when the server refused, with its reason.
class RegistryClient {
 public:
  // REQUIRES: the client outlives this.
  explicit RegistryClient(api::Client& client) : client_(client) {}

  Result<std::vector<std::string>> subjects(Deleted deleted);
  Result<std::optional<std::vector<int>>> versions(const std::string& subject, Deleted deleted);

  // `version` is a number or "latest".
  Result<std::optional<RegisteredSchema>> version(const std::string& subject, const std::string& version,
                                                  Deleted deleted);

  enum class NotFound { kSubject, kSchema };
  struct Lookup {
    std::optional<RegisteredSchema> found;
    NotFound not_found = NotFound::kSubject;  // when nothing was found
  };
  Result<Lookup> look_up(const SchemaFile& schema);

  // Why the schema may not become the next version; empty when it may.
  Result<std::vector<std::string>> check(const SchemaFile& schema);

  // Adds the schema, with its upcaster if it has one. A refusal as it came, with status 409 when the schema
  // is not compatible, and 422 when its upcaster is at fault.
  Result<api::Answer> add(const SchemaFile& schema);

  // The level that counts for the subject; of all subjects that have none of their own when it is "".
  Result<std::string> level(const std::string& subject);
  // The subject's own level; nullopt when it has none.
  Result<std::optional<std::string>> own_level(const std::string& subject);
  Status set_level(const std::string& subject, const std::string& level);
  Status reset_level(const std::string& subject);

  enum class Lasting { kHidden, kForEver };
  // The versions that were deleted. `version` is a number, "latest", or "" for all of them.
  Result<std::vector<int>> remove(const std::string& subject, const std::string& version, Lasting lasting);

 private:
  api::Client& client_;
};

}  // namespace cairn::cli
