#include "projections/trial/projection_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "upcasters/values/lua_saved.h"

namespace cairn {

namespace {

// So that the clocks are read before each event.
constexpr std::uint64_t kTrialStepsPerEvent = WorkBudget::kStepsBetweenChecks;
constexpr std::size_t kTrialBytesPerStep = 64;

bool is_limit(const ProjectionFold::Fault& fault) {
  const auto* const script = std::get_if<ScriptError>(&fault);
  return script != nullptr && script->fault != ScriptFault::kError && script->fault != ScriptFault::kSyntax;
}

}  // namespace

ScriptResult<std::unique_ptr<ProjectionTrial>> ProjectionTrial::make(const std::string& source,
                                                                     const std::string& file) {
  std::unique_ptr<ProjectionTrial> trial(new ProjectionTrial);
  CAIRN_TRY(trial->fold_, ProjectionFold::make(source, file));
  CAIRN_TRY(trial->recording_, ProjectionFold::make(source, file, {}, &trial->recorder_));
  return trial;
}

TrialReport ProjectionTrial::run(const TrialEvents& events, const ShapeForTrial& shape, WorkBudget& budget) {
  for (std::size_t i = 0; i < events.events.size(); ++i) {
    if (!budget.charge(kTrialStepsPerEvent + events.events[i].data.size() / kTrialBytesPerStep)) {
      report_.end_early(
          budget.error(fmt::format("{} of {} events were tried", i, events.events.size())).message);
      break;
    }
    if (saved_bytes_ > kRowsBytesMax || fold_->rows_bytes() > kRowsBytesMax) {
      report_.end_early(fmt::format("the rows of {} of {} events take more than {} MiB, the most for a trial",
                                    i, events.events.size(), kRowsBytesMax >> 20));
      break;
    }
    ++report_.given;
    take(i, events, shape);
  }
  if (!events.complete) report_.end_early("there are more events than one trial may read");
  report_.parked = parked_keys_.size() + parked_streams_.size();
  report_.fields_used = recorder_.fields();
  add_rows();
  add_warnings();
  return std::move(report_);
}

bool ProjectionTrial::is_from_here(std::string_view stream) const {
  const auto& categories = header().categories;
  if (categories.empty()) return !is_system_stream(stream);
  return std::find(categories.begin(), categories.end(), category_of(stream)) != categories.end();
}

// In the order of Generation::route(): a parked stream, the keys of all parts, then the rows one by one.
void ProjectionTrial::take(std::size_t index, const TrialEvents& events, const ShapeForTrial& shape) {
  const EventView& event = events.events[index];
  const bool has_position = events.has_position(index);
  const ShapedEvent stored{.type = event.type, .data = event.data, .content_type = event.content_type};
  if (!is_from_here(event.stream)) return report_.pass_over("another category");
  const auto park_stream = [&](const ShapedEvent& part, const ScriptError& error) {
    report_.fail(index, has_position, event, part, "", error);
    parked_streams_.emplace(event.stream);
  };
  const auto shaped = shape(event);
  if (parked_streams_.contains(event.stream)) {
    ++report_.waiting;
    return;
  }
  if (!shaped) {
    return park_stream(stored, {ScriptFault::kError, shaped.error().message, "", 0});
  }
  std::vector<std::pair<const ShapedEvent*, std::string>> keyed;
  bool is_handled = false;
  for (const ShapedEvent& part : *shaped) {
    if (!fold_->handles(part.type)) continue;
    is_handled = true;
    std::string key;
    if (const auto fault = fold_->key_of(event, part, key)) {
      if (!is_limit(*fault)) (void)recording_->key_of(event, part, key);
      return park_stream(part, script_error(*fault));
    }
    std::string recorded;
    (void)recording_->key_of(event, part, recorded);
    if (!key.empty()) keyed.emplace_back(&part, std::move(key));
  }
  if (shaped->empty()) return report_.pass_over("an upcaster drops it");
  if (!is_handled) return report_.pass_over("no handler");
  ++(keyed.empty() ? keyless_ : keyed_);
  if (keyed.empty()) return report_.pass_over("key was nil");
  applied_ = failed_ = false;
  for (const auto& [part, key] : keyed) apply(index, has_position, event, *part, key);
  if (failed_) return;
  ++(applied_ ? report_.applied : report_.waiting);
}

void ProjectionTrial::apply(std::size_t index, bool has_position, const EventView& event,
                            const ShapedEvent& part, const std::string& key) {
  if (parked_keys_.contains(key)) return;
  called_.emplace(part.type);
  const auto [found, is_new] = rows_.try_emplace(key, Row{static_cast<std::uint32_t>(rows_.size()), ""});
  Row& row = found->second;
  if (is_new) fold_->load(row.slot, "");
  std::string saved;
  const auto fault = apply_and_save(row, event, part, saved);
  if (!fault || !is_limit(*fault)) {
    recording_->load(0, row.saved);
    (void)recording_->apply(0, event, part);
  }
  if (fault) {
    failed_ = true;
    report_.fail(index, has_position, event, part, key, script_error(*fault));
    parked_keys_.insert(key);
    fold_->load(row.slot, row.saved);
    return;
  }
  applied_ = true;
  saved_bytes_ += saved.size();
  saved_bytes_ -= row.saved.size();
  row.saved = std::move(saved);
}

std::optional<ProjectionFold::Fault> ProjectionTrial::apply_and_save(Row& row, const EventView& event,
                                                                     const ShapedEvent& part,
                                                                     std::string& saved) {
  if (auto fault = fold_->apply(row.slot, event, part)) return fault;
  return fold_->save(row.slot, saved);
}

ScriptError ProjectionTrial::script_error(const ProjectionFold::Fault& fault) {
  if (const auto* const script = std::get_if<ScriptError>(&fault)) return *script;
  return {ScriptFault::kError, std::get<Error>(fault).message, "", 0};  // no failure of the script
}

void ProjectionTrial::add_rows() {
  for (const auto& [key, row] : rows_) {
    if (!row.saved.empty()) report_.add(TrialRow{key, std::string(saved_json(row.saved))});
  }
}

void ProjectionTrial::add_warnings() {
  if (keyless_ > 0 && keyed_ == 0 && report_.failed == 0) {
    report_.warn("key-nil",
                 keyless_ == 1
                     ? "key returned nil for the only event that has a handler"
                     : fmt::format("key returned nil for all {} events that have a handler", keyless_));
  }
  if (report_.parked > 0) {
    report_.warn("parked", fmt::format("{} {} parked: {} failed, {} wait behind", report_.parked,
                                       report_.parked == 1 ? "key would be" : "keys would be", report_.failed,
                                       report_.waiting));
  }
  if (report_.given > 0) {
    for (const std::string& type : header().types) {
      if (!called_.contains(type)) {
        report_.warn("never-called", fmt::format("on.{} was never called by these events", type));
      }
    }
  }
  warn_of_absent_fields(recorder_.absent_fields(), report_);
}

}  // namespace cairn
