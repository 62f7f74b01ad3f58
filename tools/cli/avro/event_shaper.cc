#include "tools/cli/avro/event_shaper.h"

#include <utility>

#include "schemaregistry/codec/json_sink.h"
#include "tools/cli/schema/parsed_schema.h"

namespace cairn::cli {

namespace {

std::string faults_text(const std::vector<DataFault>& faults) {
  const DataFault& first = faults.front();
  std::string text =
      (first.path.empty() ? "" : first.path + ": ") + "expected " + first.expected + ", found " + first.found;
  if (faults.size() > 1) text += ", and " + std::to_string(faults.size() - 1) + " more";
  return text;
}

}  // namespace

Result<EventShaper> EventShaper::make(RegistryClient& registry, const std::string& type,
                                      const std::string& version) {
  CAIRN_TRY(auto target, read_version(registry, type, version));
  if (!target) {
    return make_error(Errc::kInvalidArgument,
                      version == "latest"
                          ? "no schema is registered for the type '" + type + "'"
                          : "there is no version " + version + " of the schema of '" + type + "'");
  }
  return EventShaper(registry, type, *std::move(target));
}

Result<std::optional<EventShaper::Version>> EventShaper::read_version(RegistryClient& registry,
                                                                      const std::string& type,
                                                                      const std::string& version) {
  // A deleted version is needed to read the events that were written with it.
  CAIRN_TRY(const auto found, registry.version(type, version, Deleted::kIncluded));
  if (!found) return std::optional<Version>();
  const FindVersion find = [&](const SchemaReference& reference) -> Result<std::optional<SchemaVersion>> {
    CAIRN_TRY(const auto target,
              registry.version(reference.subject, std::to_string(reference.version), Deleted::kIncluded));
    if (!target) return std::optional<SchemaVersion>();
    return std::optional(SchemaVersion{target->version, target->text, target->references});
  };
  CAIRN_TRY(ParsedSchema parsed, parse_version({found->version, found->text, found->references}, find));
  Version result;
  result.version = found->version;
  result.schema = std::make_unique<Schema>(std::move(parsed.schema));
  CAIRN_TRY(JsonEncoder encoder, JsonEncoder::make(*result.schema));
  result.encoder = std::make_unique<JsonEncoder>(std::move(encoder));
  return std::optional(std::move(result));
}

Result<const EventShaper::Version*> EventShaper::find_version(int version) {
  auto known = others_.find(version);
  if (known == others_.end()) {
    CAIRN_TRY(auto found, read_version(*registry_, type_, std::to_string(version)));
    if (found) {
      CAIRN_TRY(DecodePlan plan, DecodePlan::compile(*found->schema, *target_.schema));
      found->plan = std::make_unique<DecodePlan>(std::move(plan));
    }
    known = others_.emplace(version, std::move(found)).first;
  }
  return known->second ? &*known->second : nullptr;
}

Result<std::optional<std::string>> EventShaper::append(const ExportedEvent& event, std::string& to) {
  using Misfit = std::optional<std::string>;
  if (!event.content_type.empty()) return Misfit("its data is opaque (" + event.content_type + ")");
  std::string_view data = event.data;
  if (event.schema_version != 0 && event.schema_version != target_.version) {
    CAIRN_TRY(const Version* version, find_version(event.schema_version));
    if (version != nullptr) {
      written_.clear();
      const auto faults = version->encoder->encode(data, written_);
      if (!faults.empty()) return Misfit(faults_text(faults));
      json_.clear();
      const Status read = append_avro_as_json(*version->plan, written_, json_);
      if (!read) return Misfit(read.error().message);
      data = json_;
    }
  }
  const auto faults = target_.encoder->encode(data, to);
  if (!faults.empty()) return Misfit(faults_text(faults));
  return Misfit();
}

}  // namespace cairn::cli
