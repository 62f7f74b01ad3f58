#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/schema/schema_file.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

// A registered version of a subject.
struct RegisteredSchema {
  std::string subject;
  int version = 0;
  int id = 0;
  std::string text;
  std::vector<SchemaReference> references;
  std::string json;  // the server's answer, unchanged
};

enum class Deleted { kLeftOut, kIncluded };

// A client of a schema registry: Cairn's, or any that implements Confluent's API. A missing subject or
// version is nullopt. Fails with the client's error, or with kFailedPrecondition and the server's reason when
// the server refuses. Not thread-safe.
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

  // Registers the schema, with its upcaster if it has one. A refusal is returned unchanged: status 409 when
  // the schema is not compatible, 422 when its upcaster fails.
  Result<api::Answer> add(const SchemaFile& schema);

  // The level in effect for the subject; the default level when `subject` is "".
  Result<std::string> level(const std::string& subject);
  // The subject's own level; nullopt when it has none.
  Result<std::optional<std::string>> own_level(const std::string& subject);
  Status set_level(const std::string& subject, const std::string& level);
  Status reset_level(const std::string& subject);

  enum class Deletion { kHidden, kPermanent };
  // Returns the deleted versions. `version` is a number, "latest", or "" for all of them.
  Result<std::vector<int>> remove(const std::string& subject, const std::string& version, Deletion lasting);

 private:
  api::Client& client_;
};

}  // namespace cairn::cli
