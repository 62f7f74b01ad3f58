#include "projections/trial/aggregate_trial.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <variant>

namespace cairn {

namespace {

// So that the clocks are read before each event.
constexpr std::uint64_t kFoldStepsPerEvent = WorkBudget::kStepsBetweenChecks;
constexpr std::size_t kFoldBytesPerStep = 64;

bool is_limit_of_script(const AggregateFold::Fault& fault) {
  const auto* const script = std::get_if<ScriptError>(&fault);
  return script != nullptr && script->fault != ScriptFault::kError && script->fault != ScriptFault::kSyntax;
}

}  // namespace

ScriptResult<std::unique_ptr<AggregateTrial>> AggregateTrial::make(const std::string& source,
                                                                   const std::string& file) {
  std::unique_ptr<AggregateTrial> trial(new AggregateTrial);
  CAIRN_TRY(trial->fold_, AggregateFold::make(source, file));
  CAIRN_TRY(trial->recording_, AggregateFold::make(source, file, {}, &trial->recorder_));
  return trial;
}

TrialReport AggregateTrial::run(const TrialEvents& events, const ShapeForTrial& shape, WorkBudget& budget) {
  std::map<std::string_view, std::vector<std::size_t>> streams;
  for (std::size_t i = 0; i < events.events.size(); ++i) {
    const std::string_view stream = events.events[i].stream;
    if (category_of(stream) == header().category) {
      streams[stream].push_back(i);
    } else {
      ++report_.given;
      report_.pass_over("another category");
    }
  }
  for (const auto& [stream, indexes] : streams) {
    if (!fold_stream(events, indexes, shape, budget)) {
      report_.end_early(
          budget.error(fmt::format("{} of {} events were tried", tried_, events.events.size())).message);
      break;
    }
  }
  if (!events.complete) report_.end_early("there are more events than one trial may read");
  report_.fields_used = recorder_.fields();
  add_warnings(events);
  return std::move(report_);
}

bool AggregateTrial::fold_stream(const TrialEvents& events, const std::vector<std::size_t>& indexes,
                                 const ShapeForTrial& shape, WorkBudget& budget) {
  const auto give_up = [&](const AggregateFold::Fault& fault, std::size_t index) {
    const EventView& event = events.events[index];
    report_.fail(index, events.has_position(index), event, {.type = event.type, .data = "null"}, "",
                 script_error(fault));
  };
  if (const auto begun = fold_->reset(); !begun) {
    give_up(begun.error(), indexes.front());
    return true;
  }
  (void)recording_->reset();
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const EventView& event = events.events[indexes[i]];
    if (!budget.charge(kFoldStepsPerEvent + event.data.size() / kFoldBytesPerStep)) return false;
    ++tried_;
    ++report_.given;
    if (!take(indexes[i], events, shape)) {
      const std::size_t behind = indexes.size() - i - 1;
      report_.given += behind;
      report_.waiting += behind;
      ++report_.parked;
      return true;
    }
  }
  std::string json;
  if (const auto state = fold_->append_json(json); !state) {
    give_up(state.error(), indexes.back());
    ++report_.parked;
    return true;
  }
  (void)budget.charge(json.size() / kFoldBytesPerStep);
  report_.add(TrialRow{std::string(events.events[indexes.front()].stream), std::move(json)});
  return true;
}

bool AggregateTrial::take(std::size_t index, const TrialEvents& events, const ShapeForTrial& shape) {
  const EventView& event = events.events[index];
  const auto shaped = shape(event);
  if (!shaped) {
    const ShapedEvent stored{.type = event.type, .data = event.data, .content_type = event.content_type};
    report_.fail(index, events.has_position(index), event, stored, "",
                 {ScriptFault::kError, shaped.error().message, "", 0});
    return false;
  }
  bool is_handled = false;
  for (const ShapedEvent& part : *shaped) {
    if (!fold_->handles(part.type)) continue;
    is_handled = true;
    called_.emplace(part.type);
    // The state before the event, so that what a proxy did to the recording state does not last.
    std::string saved;
    if (fold_->save(saved)) recording_->load(saved);
    const auto applied = fold_->apply(event, part);
    if (applied || !is_limit_of_script(applied.error())) (void)recording_->apply(event, part);
    if (!applied) {
      report_.fail(index, events.has_position(index), event, part, "", script_error(applied.error()));
      return false;
    }
  }
  if (is_handled) {
    ++report_.applied;
  } else {
    report_.pass_over(shaped->empty() ? "an upcaster drops it" : "no handler");
  }
  return true;
}

ScriptError AggregateTrial::script_error(const AggregateFold::Fault& fault) {
  if (const auto* const script = std::get_if<ScriptError>(&fault)) return *script;
  return {ScriptFault::kError, std::get<Error>(fault).message, "", 0};  // no failure of the script
}

void AggregateTrial::add_warnings(const TrialEvents& events) {
  std::set<std::string_view> seen;
  std::size_t in_the_middle = 0;
  for (const EventView& event : events.events) {
    if (seen.insert(event.stream).second && events.given.empty() && event.version.value > 1) ++in_the_middle;
  }
  if (in_the_middle > 0) {
    report_.warn(
        "partial-stream",
        fmt::format("of {} of {} streams the first events are not among these: their states are not those "
                    "that the aggregate will have",
                    in_the_middle, seen.size()));
  }
  if (report_.parked > 0) {
    report_.warn("failed", fmt::format("{} {} no state, because the script fails on {}", report_.parked,
                                       report_.parked == 1 ? "stream would have" : "streams would have",
                                       report_.parked == 1 ? "one of its events" : "one of their events"));
  }
  if (report_.given > 0) {
    for (const std::string& type : types()) {
      if (!called_.contains(type)) {
        report_.warn("never-called", fmt::format("on.{} was never called by these events", type));
      }
    }
  }
  warn_of_absent_fields(recorder_.absent_fields(), report_);
}

}  // namespace cairn
