#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/commands/import_batch.h"
#include "tools/cli/commands/server_versions.h"

namespace cairn::cli {

// Why an import could not go on.
struct ImportFailure {
  std::uint64_t first_line = 0;  // the lines that could not be stored
  std::uint64_t last_line = 0;
  std::string reason;
  bool unreachable = false;
};

struct ImportCounts {
  std::uint64_t appended = 0;
  std::uint64_t already_applied = 0;
};

// Sends batches to a server, each of which is stored completely or not at all. After a lost connection, or
// when the server is busy, a batch is retried with backoff; event ids make the retry idempotent. A batch of
// which a part is already stored, because it was imported in other batches before, is sent event by event,
// and stored events are skipped. Not thread-safe.
class Importer {
 public:
  // `expect` is the value of --expect. A number is the version of each stream before the import; each later
  // batch expects the version that the previous one left.
  Importer(api::Client& client, std::string expect) : client_(client), expect_(std::move(expect)) {}

  // Data is checked against the version of its schema that the line names. When the server does not have it, or
  // the type has no schema there, it is checked as an event without a version is.
  void choose_version(ImportLine& line);

  // nullopt when the whole batch is stored.
  std::optional<ImportFailure> send(const ImportBatch& batch);

  const ImportCounts& counts() const { return counts_; }

 private:
  std::optional<ImportFailure> send_singly(const ImportBatch& batch);
  std::optional<ImportFailure> take_answer(const ImportBatch& batch, const api::Answer& answer);
  Result<api::Answer> post(const std::string& body);
  std::string expected_version(const std::string& stream) const;

  api::Client& client_;
  ServerVersions server_versions_{client_};
  std::string expect_;
  bool chained_ = expect_ != "any" && expect_ != "exists";
  std::unordered_map<std::string, std::uint64_t> versions_;  // when chained: the version of each stream
  bool answered_ = false;
  ImportCounts counts_;
};

}  // namespace cairn::cli
