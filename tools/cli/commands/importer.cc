#include "tools/cli/commands/importer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/event_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

// Backoff, about 12 s in all: the time of a restart with a large log.
constexpr int kAttemptsMax = 7;
constexpr std::chrono::milliseconds kFirstRetryPause{200};

bool should_retry(const Result<api::Answer>& answer) {
  return !answer || answer->status == 503 || problem_slug(*answer) == "outcome-unknown";
}

ImportFailure failure(const ImportBatch& batch, std::string reason) {
  return {batch.first_line(), batch.last_line(), std::move(reason), false};
}

std::string missing_schema_hint(const std::string& schema) {
  return fmt::format(
      "\nThe line names {}, which this server does not have. An import copies events and no schemas: "
      "register "
      "all versions of the other server in their order first (`cairn schema register`).",
      schema);
}

// Maps the event of a refusal to the line of the file.
ImportFailure refusal(const ImportBatch& batch, const api::Answer& answer) {
  ImportFailure refused = failure(batch, refusal_text(answer));
  const json problem = json::parse(answer.body, nullptr, false);
  const json errors = problem.is_object() ? problem.value("errors", json()) : json();
  const json first = errors.is_array() && !errors.empty() ? errors.front() : json();
  const json index = first.is_object() ? first.value("event", json()) : json();
  if (index.is_number_unsigned()) {
    if (const auto source = batch.source_of(index.get<std::size_t>())) {
      refused.first_line = refused.last_line = source->line;
      if (!source->missing_schema.empty()) refused.reason += missing_schema_hint(source->missing_schema);
    }
    return refused;
  }
  const json field = problem.is_object() ? problem.value("field", json()) : json();
  std::size_t stream = 0;
  std::size_t event = 0;
  if (field.is_string() &&
      std::sscanf(field.get<std::string>().c_str(), "appends[%zu].events[%zu]", &stream, &event) == 2) {
    if (const auto line = batch.line_of(stream, event)) refused.first_line = refused.last_line = *line;
  }
  return refused;
}

}  // namespace

void Importer::choose_version(ImportLine& line) {
  std::uint32_t& version = line.event.schema_version;
  if (version == 0 || server_versions_.may_have(line.event.type, version)) return;
  line.missing_schema = fmt::format("version {} of the schema of {}", version, line.event.type);
  version = 0;
}

std::optional<ImportFailure> Importer::send(const ImportBatch& batch) {
  const auto answer =
      post(batch.body([this](const std::string& stream) { return expected_version(stream); }));
  if (!answer) {
    ImportFailure lost = failure(batch, answer.error().message);
    lost.unreachable = true;
    return lost;
  }
  if (batch.size() > 1 && problem_slug(*answer) == "event-id-reused") return send_singly(batch);
  if (!answer->ok()) return refusal(batch, *answer);
  return take_answer(batch, *answer);
}

std::optional<ImportFailure> Importer::send_singly(const ImportBatch& batch) {
  for (const ImportBatch& single : batch.single_events()) {
    if (auto failed = send(single)) return failed;
  }
  return std::nullopt;
}

std::optional<ImportFailure> Importer::take_answer(const ImportBatch& batch, const api::Answer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  const json results = body.is_object() ? body.value("results", json()) : json();
  if (!results.is_array() || results.size() != batch.streams().size()) {
    return failure(batch, "the answer is not a Cairn server's: " + refusal_text(answer));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const json& result = results[i];
    const json last = result.is_object() ? result.value("lastVersion", json()) : json();
    if (!last.is_number_unsigned()) {
      return failure(batch, "the answer is not a Cairn server's: " + refusal_text(answer));
    }
    const bool repeated = result.value("alreadyApplied", json(false)) == true;
    (repeated ? counts_.already_applied : counts_.appended) += batch.events_of(i);
    if (chained_) versions_[batch.streams()[i]] = last.get<std::uint64_t>();
  }
  return std::nullopt;
}

Result<api::Answer> Importer::post(const std::string& body) {
  auto pause = kFirstRetryPause;
  for (int attempt = 1;; ++attempt) {
    auto answer = client_.post_json("/append", body);
    // A server that has never answered is not restarting: no retry.
    const bool hopeless = !answer && answer.error().code == Errc::kIo && !answered_;
    if (answer) answered_ = true;
    if (!should_retry(answer) || hopeless || attempt == kAttemptsMax) return answer;
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

std::string Importer::expected_version(const std::string& stream) const {
  const auto known = versions_.find(stream);
  return known == versions_.end() ? expectation_json(expect_) : std::to_string(known->second);
}

}  // namespace cairn::cli
