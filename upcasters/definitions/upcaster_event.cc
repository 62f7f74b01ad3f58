#include "upcasters/definitions/upcaster_event.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;

NewEvent new_event(std::string_view type, const Json& data) {
  NewEvent event;
  event.type = type;
  // A reason may contain text of a script, which need not be valid UTF-8.
  event.data = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return event;
}

// Reads members of an object and keeps the first that is missing or of the wrong type.
class MemberReader {
 public:
  explicit MemberReader(const Json& data) : data_(data) {}

  std::string text(const char* name) {
    const auto member = data_.find(name);
    if (member != data_.end() && member->is_string()) return member->get<std::string>();
    wrong_ = name;
    return {};
  }

  std::uint64_t number(const char* name, std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
    const auto member = data_.find(name);
    if (member != data_.end() && member->is_number_unsigned() && member->get<std::uint64_t>() <= max) {
      return member->get<std::uint64_t>();
    }
    wrong_ = name;
    return 0;
  }

  std::uint32_t small_number(const char* name) {
    return static_cast<std::uint32_t>(number(name, std::numeric_limits<std::uint32_t>::max()));
  }

  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> values;
    const auto member = data_.find(name);
    if (member == data_.end()) return values;
    for (const Json& value : *member) {
      if (!value.is_string()) {
        wrong_ = name;
        return {};
      }
      values.push_back(value.get<std::string>());
    }
    return values;
  }

  Status status() const {
    if (wrong_.empty()) return {};
    return make_error(Errc::kCorruption, "an event about an upcaster has no usable '" + wrong_ + "'");
  }

 private:
  const Json& data_;
  std::string wrong_;
};

Result<UpcasterEvent> read_installed(const EventView& stored, const Json& data) {
  MemberReader members(data);
  UpcasterInstalled event;
  Upcaster& upcaster = event.upcaster;
  upcaster.header.type = members.text("type");
  upcaster.header.from = members.small_number("from");
  upcaster.header.to = members.small_number("to");
  upcaster.header.produces = members.texts("produces");
  upcaster.source = members.text("source");
  upcaster.fingerprint = members.text("fingerprint");
  upcaster.revision = members.small_number("revision");
  upcaster.from_schema = {members.small_number("fromSchema")};
  upcaster.to_schema = {members.small_number("toSchema")};
  upcaster.registry_changes = members.number("registryChanges");
  event.verified_through = {members.number("verifiedThrough")};
  event.checked = members.number("checked");
  upcaster.with_schema = data.value("withSchema", false);
  upcaster.position = stored.position;
  upcaster.installed_at = stored.recorded_at;
  CAIRN_CHECK(members.status());
  return UpcasterEvent(std::move(event));
}

}  // namespace

NewEvent to_new_event(const UpcasterInstalled& event) {
  const Upcaster& upcaster = event.upcaster;
  Json data{{"type", upcaster.header.type},
            {"from", upcaster.header.from},
            {"to", upcaster.header.to},
            {"revision", upcaster.revision},
            {"fingerprint", upcaster.fingerprint},
            {"fromSchema", upcaster.from_schema.value},
            {"toSchema", upcaster.to_schema.value},
            {"registryChanges", upcaster.registry_changes},
            {"verifiedThrough", event.verified_through.value},
            {"checked", event.checked},
            {"source", upcaster.source}};
  if (upcaster.with_schema) data["withSchema"] = true;
  if (!upcaster.header.produces.empty()) data["produces"] = upcaster.header.produces;
  return new_event("UpcasterInstalled", data);
}

Result<UpcasterEvent> read_upcaster_event(const EventView& stored) {
  if (!stored.type.starts_with("Upcaster")) return UpcasterEvent(OtherDefinition{});
  if (stored.type != "UpcasterInstalled" && stored.type != "UpcasterWithdrawn") {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("position {} of the log is {}, which a newer program has written; use that one",
                    stored.position.value, stored.type));
  }
  const Json data = Json::parse(stored.data, nullptr, false);
  if (!data.is_object()) {
    return make_error(Errc::kCorruption, fmt::format("the definition at position {} is not a JSON object",
                                                     stored.position.value));
  }
  if (stored.type == "UpcasterInstalled") return read_installed(stored, data);
  MemberReader members(data);
  UpcasterWithdrawn event{members.text("type"), members.small_number("from"), members.text("fingerprint"),
                          members.text("reason")};
  CAIRN_CHECK(members.status());
  return UpcasterEvent(std::move(event));
}

}  // namespace cairn
