#include "projections/runner/audit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSkipped = "ProjectionEventSkipped";
constexpr std::size_t kPageEvents = 1'000;

std::string text(const Json& data, const char* name) {
  const auto member = data.find(name);
  return member == data.end() || !member->is_string() ? "" : member->get<std::string>();
}

}  // namespace

Status ProjectionAudit::catch_up() {
  const MutexLock catching_up(catch_up_mutex_);
  CAIRN_TRY(const auto info, store_.log().system_stream_info(kAuditStream));
  while (info && stream_version_ < info->version.value) {
    const StreamQuery query{.from = StreamVersion{stream_version_ + 1}, .limit = kPageEvents};
    CAIRN_TRY(const StreamPage page, store_.log().read_system_stream(kAuditStream, query));
    for (const EventView& stored : page.events) CAIRN_CHECK(apply(stored));
  }
  return {};
}

Status ProjectionAudit::apply(const EventView& stored) {
  stream_version_ = stored.version.value;
  if (stored.type != kSkipped) return {};
  const Json data = Json::parse(stored.data, nullptr, false);
  const auto position = data.is_object() ? data.find("position") : data.end();
  if (!data.is_object() || position == data.end() || !position->is_number_unsigned()) {
    return make_error(Errc::kCorruption,
                      fmt::format("the event at position {} says that an event is skipped, but not which",
                                  stored.position.value));
  }
  const MutexLock lock(mutex_);
  auto& known = skipped_[{text(data, "projection"), text(data, "fingerprint")}];
  auto with_it =
      known == nullptr ? std::make_shared<SkippedEvents>() : std::make_shared<SkippedEvents>(*known);
  const auto by = text(data, "by") == "stream" ? ParkedPlace::By::kStream : ParkedPlace::By::kKey;
  with_it->add({position->get<std::uint64_t>()}, {by, text(data, "key")});
  known = std::move(with_it);
  return {};
}

Status ProjectionAudit::note(std::string_view type, const std::string& details, const RequestOrigin& origin,
                             std::string_view outcome) {
  NewEvent event;
  event.type = type;
  event.data = details;
  event.metadata = metadata_of(origin, outcome);
  AppendRequest request;
  request.origin = Origin::kSystem;
  request.streams.push_back({std::string(kAuditStream), ExpectedVersion::any(), {std::move(event)}});
  const auto appended = store_.append(std::move(request));
  if (!appended) return appended.error();
  return {};
}

Status ProjectionAudit::redrive_begun(const std::string& projection, const RedriveOptions& options,
                                      const RequestOrigin& origin) {
  Json data{{"projection", projection}, {"key", nullptr}};
  if (options.keys_per_second) data["keysPerSecond"] = *options.keys_per_second;
  if (options.stop_after_failures) data["stopAfterFailures"] = *options.stop_after_failures;
  if (options.dry_run) data["dryRun"] = true;
  return note("ProjectionParkedRetried", data.dump(), origin, kOutcomeBegun);
}

Status ProjectionAudit::redrive_ended(const std::string& projection, const RedriveReport& report,
                                      const RequestOrigin& origin) {
  Json data{{"projection", projection}, {"state", to_string(report.state)},
            {"reason", report.reason},  {"keys", report.keys},
            {"tried", report.tried},    {"released", report.released},
            {"failed", report.failed},  {"eventsApplied", report.events}};
  if (report.options.dry_run) data["dryRun"] = true;
  return note("ProjectionParkedRetryEnded", data.dump(-1, ' ', false, Json::error_handler_t::replace), origin,
              kOutcomeOk);
}

Status ProjectionAudit::skip(const Skip& skip) {
  const Json data{{"projection", skip.projection},
                  {"fingerprint", skip.fingerprint},
                  {"by", skip.place.by == ParkedPlace::By::kStream ? "stream" : "key"},
                  {"key", skip.place.name},
                  {"position", skip.position.value},
                  {"reason", skip.reason}};
  CAIRN_CHECK(note(kSkipped, data.dump(), skip.origin, kOutcomeOk));
  return catch_up();
}

std::shared_ptr<const SkippedEvents> ProjectionAudit::skipped(const std::string& projection,
                                                              const std::string& fingerprint) const {
  const MutexLock lock(mutex_);
  const auto found = skipped_.find({projection, fingerprint});
  return found == skipped_.end() ? std::make_shared<const SkippedEvents>() : found->second;
}

}  // namespace cairn
