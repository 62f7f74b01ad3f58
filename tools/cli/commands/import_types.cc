#include "tools/cli/commands/import_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "eventstore/types.h"
#include "tools/cli/commands/import_line.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

// No stream gets so many events.
constexpr std::uint64_t kImpossibleVersion = (1ull << 53) - 1;
constexpr std::size_t kTypesNamed = 20;

// Whether the server refuses events of types without a schema: an append that cannot succeed, since its stream is
// not at the version that it expects, is refused because of its type before that.
bool requires_schema(api::Client& client, const std::string& stream, const std::string& type) {
  const nlohmann::json body = {{"appends",
                                {{{"stream", stream},
                                  {"expectedVersion", kImpossibleVersion},
                                  {"events", {{{"type", type}, {"data", nlohmann::json::object()}}}}}}}};
  const auto answer = client.post_json("/append", body.dump());
  return answer && problem_slug(*answer) == "unknown-type";
}

}  // namespace

void ImportTypes::take(std::string_view line) {
  ++lines_;
  if (types_.size() >= kTypesMax || line.find_first_not_of(" \t") == std::string_view::npos) return;
  const auto parsed = parse_import_line(line, lines_);
  if (!parsed || (parsed->was_stored && is_system_stream(parsed->stream))) return;
  if (!parsed->event.content_type.empty()) return;  // Opaque data needs no schema.
  if (seen_.insert(parsed->event.type).second) types_.push_back({parsed->event.type, parsed->stream, lines_});
}

std::optional<ImportFailure> ImportTypes::missing(api::Client& client) const {
  if (types_.empty()) return std::nullopt;
  const auto subjects = RegistryClient(client).subjects(Deleted::kLeftOut);
  if (!subjects) return std::nullopt;
  const std::set<std::string_view> known(subjects->begin(), subjects->end());
  std::vector<const Type*> missing;
  for (const Type& type : types_) {
    if (!known.contains(type.name)) missing.push_back(&type);
  }
  if (missing.empty() || !requires_schema(client, missing[0]->stream, missing[0]->name)) return std::nullopt;
  std::string reason =
      missing.size() == 1 ? "the server has no schema for a type of the file:"
                          : fmt::format("the server has no schema for {} types of the file:", missing.size());
  for (std::size_t i = 0; i < std::min(missing.size(), kTypesNamed); ++i) {
    reason += fmt::format("\n  {} (line {})", on_one_line(missing[i]->name), missing[i]->line);
  }
  if (missing.size() > kTypesNamed) reason += fmt::format("\n  and {} more", missing.size() - kTypesNamed);
  reason +=
      "\nRegister them first (`cairn schema register`), all versions in the order of the server that the "
      "events "
      "come from.";
  return ImportFailure{missing[0]->line, missing[0]->line, std::move(reason), false};
}

}  // namespace cairn::cli
