#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/client/client.h"
#include "tools/cli/commands/importer.h"

namespace cairn::cli {

// The event types of a file, gathered before its import, to name those that the server has no schema for before
// anything is appended. Memory is bounded: of more types than kTypesMax the rest is checked batch by batch.
class ImportTypes {
 public:
  static constexpr std::size_t kTypesMax = 10'000;

  // Takes one line of the file. Lines that the import will refuse are left to it.
  void take(std::string_view line);

  // Why nothing can be imported: the types without a schema, on a server that requires one. nullopt when there are
  // none, and when the server does not say.
  std::optional<ImportFailure> missing(api::Client& client) const;

 private:
  struct Type {
    std::string name;
    std::string stream;      // of its first event
    std::uint64_t line = 0;  // that one's
  };

  std::uint64_t lines_ = 0;
  std::unordered_set<std::string> seen_;
  std::vector<Type> types_;  // in the order of the file
};

}  // namespace cairn::cli
