#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/commands/import_batch.h"

namespace cairn::cli {

// Why an import could not go on.
struct ImportFailure {
  std::uint64_t first_line = 0;  // what could not be stored
  std::uint64_t last_line = 0;
  std::string reason;
  bool unreachable = false;
};

struct ImportCounts {
  std::uint64_t appended = 0;
  std::uint64_t already_applied = 0;
};

// Sends batches to a server, each all or nothing. A lost connection or a busy server is tried again for a
// while; the ids make that safe. A batch of which the server knows a part already, because it was imported
// before in other batches, is sent again event by event, and the known ones are passed over.
class Importer {
 public:
  // `expect` as --expect has it. A number is the version of each stream before the import; from then on each
  // batch expects what the one before left.
  Importer(api::Client& client, std::string expect) : client_(client), expect_(std::move(expect)) {}

  // nullopt when all of it is stored.
  std::optional<ImportFailure> send(const ImportBatch& batch);

  const ImportCounts& counts() const { return counts_; }

 private:
  std::optional<ImportFailure> send_singly(const ImportBatch& batch);
  std::optional<ImportFailure> take_answer(const ImportBatch& batch, const api::Answer& answer);
  Result<api::Answer> post(const std::string& body);
  std::string expected_version(const std::string& stream) const;

  api::Client& client_;
  std::string expect_;
  bool chained_ = expect_ != "any" && expect_ != "exists";
  std::unordered_map<std::string, std::uint64_t> versions_;  // when chained: where each stream stands
  bool answered_ = false;
  ImportCounts counts_;
};

}  // namespace cairn::cli
