#include "projections/aggregates/aggregate_event.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "upcasters/model/fingerprint.h"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDeployed = "AggregateDeployed";

std::optional<std::string> text(const Json& data, const char* name) {
  const auto member = data.find(name);
  if (member == data.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

std::optional<std::uint64_t> number(const Json& data, const char* name) {
  const auto member = data.find(name);
  if (member == data.end() || !member->is_number_unsigned()) return std::nullopt;
  return member->get<std::uint64_t>();
}

}  // namespace

std::string aggregate_fingerprint(std::string_view category, std::string_view source) {
  return Fingerprint().add("aggregate").add(category).add(source).text();
}

NewEvent to_new_event(const AggregateDefinition& definition) {
  const Json data{{"category", definition.category},
                  {"revision", definition.revision},
                  {"fingerprint", definition.fingerprint},
                  {"snapshotEvery", definition.snapshot_every},
                  {"source", definition.source}};
  NewEvent event;
  event.type = kDeployed;
  event.data = data.dump();
  return event;
}

Result<std::optional<AggregateDefinition>> read_aggregate_event(const EventView& stored) {
  if (!stored.type.starts_with("Aggregate")) return std::optional<AggregateDefinition>();
  const std::string where = fmt::format("position {} of the log", stored.position.value);
  if (stored.type != kDeployed) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("{} is {}, which a newer program has written; use that program", where, stored.type));
  }
  const Json data = Json::parse(stored.data, nullptr, false);
  if (!data.is_object())
    return make_error(Errc::kCorruption, "the definition at " + where + " is not a JSON object");
  auto category = text(data, "category");
  auto source = text(data, "source");
  auto fingerprint = text(data, "fingerprint");
  const auto revision = number(data, "revision");
  const auto every = number(data, "snapshotEvery");
  if (!category || !source || !fingerprint || !revision || !every ||
      *revision > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(Errc::kCorruption,
                      "the aggregate at " + where + " lacks a member or has one of a wrong type");
  }
  AggregateDefinition definition;
  definition.category = *std::move(category);
  definition.source = *std::move(source);
  definition.fingerprint = *std::move(fingerprint);
  definition.revision = static_cast<std::uint32_t>(*revision);
  definition.snapshot_every = *every;
  definition.position = stored.position;
  definition.deployed_at = stored.recorded_at;
  return std::optional(std::move(definition));
}

}  // namespace cairn
