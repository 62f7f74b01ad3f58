#include "upcasters/trial/upcaster_trial.h"

#include <fmt/format.h>

#include <utility>

#include "schemaregistry/codec/json_sink.h"
#include "upcasters/model/shaped_json.h"

namespace cairn {

namespace {

// So that the clocks are read before each event.
constexpr std::uint64_t kStepsPerEvent = WorkBudget::kStepsBetweenChecks;
constexpr std::size_t kBytesPerStep = 64;

// The message of a fault without the name of the upcaster and the line, which a report has beside it.
std::string without_place(std::string_view message, std::string_view file, int line) {
  for (const std::string& place : {fmt::format("{}:{}: ", file, line), fmt::format("{}: ", file)}) {
    if (message.starts_with(place)) return std::string(message.substr(place.size()));
  }
  return std::string(message);
}

}  // namespace

// What a deployed upcaster has: the plan of the data it reads, its runner, and the encoder for given events.
struct UpcasterTrial::WithSchemas {
  std::shared_ptr<const StoredSchema> from;
  ChainStep step;
  JsonEncoder encoder;
  UpcasterRunner::FindTarget find_target;
  std::unique_ptr<UpcasterRunner> runner;
  std::map<const StoredSchema*, DecodePlan> plans;  // of the results
};

ScriptResult<std::unique_ptr<UpcasterTrial>> UpcasterTrial::make(const std::string& source,
                                                                 const std::string& file) {
  std::unique_ptr<UpcasterTrial> trial(new UpcasterTrial);
  trial->source_ = source;
  trial->file_ = file;
  CAIRN_TRY(trial->script_, JsonUpcast::make(source, file));
  CAIRN_TRY(trial->recording_, JsonUpcast::make(source, file, &trial->recorder_));
  return trial;
}

Status UpcasterTrial::use_schemas(std::shared_ptr<const StoredSchema> from,
                                  std::shared_ptr<const StoredSchema> to,
                                  UpcasterRunner::FindTarget find_target, std::uint64_t registry_changes) {
  auto upcaster = std::make_shared<Upcaster>();
  upcaster->header = header();
  upcaster->source = source_;
  upcaster->registry_changes = registry_changes;
  CAIRN_TRY(DecodePlan plan, DecodePlan::compile(from->schema, from->schema));
  CAIRN_TRY(JsonEncoder encoder, JsonEncoder::make(from->schema));
  auto schemas = std::make_shared<WithSchemas>(WithSchemas{.from = std::move(from),
                                                           .step = {.plan = std::move(plan),
                                                                    .upcaster = std::move(upcaster),
                                                                    .schema = std::move(to),
                                                                    .version = header().to},
                                                           .encoder = std::move(encoder),
                                                           .find_target = {},
                                                           .runner = nullptr,
                                                           .plans = {}});
  schemas->find_target = std::move(find_target);
  auto runner = UpcasterRunner::make(schemas->step, schemas->find_target, {});
  if (!runner) return make_error(Errc::kInvalidArgument, runner.error().text());
  schemas->runner = *std::move(runner);
  schemas_ = std::move(schemas);
  return {};
}

std::optional<std::uint32_t> UpcasterTrial::checked_against() const {
  return schemas_ == nullptr ? std::nullopt : std::optional(header().to);
}

TrialReport UpcasterTrial::run(const TrialEvents& events, const ShapeForTrial* shape, WorkBudget& budget) {
  TrialReport report;
  for (std::size_t i = 0; i < events.events.size(); ++i) {
    if (!budget.charge(kStepsPerEvent + events.events[i].data.size() / kBytesPerStep)) {
      report.end_early(
          budget.error(fmt::format("{} of {} events were tried", i, events.events.size())).message);
      break;
    }
    ++report.given;
    take(i, events, shape, report);
  }
  if (!events.complete) report.end_early("there are more events than one trial may read");
  report.fields_used = recorder_.fields();
  warn_of_absent_fields(recorder_.absent_fields(), report);
  return report;
}

void UpcasterTrial::take(std::size_t index, const TrialEvents& events, const ShapeForTrial* shape,
                         TrialReport& report) {
  const EventView& event = events.events[index];
  ShapedEvent part{.type = event.type, .data = event.data, .content_type = event.content_type};
  if (event.type != header().type) return report.pass_over("another type");
  if (event.is_opaque()) return report.pass_over("opaque data");
  const auto fail = [&](const ScriptError& error) {
    report.fail(index, events.has_position(index), event, part, "", error);
  };
  if (shape == nullptr) {
    const std::uint32_t version = events.given[index].schema_version;
    if (version != 0 && version != header().from) return report.pass_over("another schema version");
  } else {
    const auto shaped = (*shape)(event);
    if (!shaped && shaped.error().kind == ShapeFault::Kind::kNoVersion) {
      return report.pass_over("another schema version");
    }
    if (!shaped) return fail(error(shaped.error().message, shaped.error().line));
    if (shaped->size() != 1 || (*shaped)[0].type != header().type) {
      return report.pass_over("an earlier upcaster splits, renames or drops it");
    }
    part = (*shaped)[0];
  }
  auto made = upcast(event, part);
  if (!made) return fail(made.error());
  ++report.applied;
  report.add(
      TrialResult{.index = index,
                  .position = events.has_position(index) ? std::optional(event.position) : std::nullopt,
                  .stream = std::string(event.stream),
                  .version = event.version,
                  .before = std::move(made->before),
                  .after = std::move(made->after)});
}

ScriptResult<UpcasterTrial::Made> UpcasterTrial::upcast(const EventView& event, const ShapedEvent& part) {
  Made made;
  if (const Status status = append_data_json(part, made.before); !status)
    return error(status.error().message);
  if (schemas_ == nullptr) {
    CAIRN_TRY(made.after, script_->run(event, made.before));
  } else {
    CAIRN_TRY(made.after, upcast_with_schemas(event, made.before));
  }
  (void)recording_->run(event, made.before);
  return made;
}

ScriptResult<UpcasterTrial::Parts> UpcasterTrial::upcast_with_schemas(const EventView& event,
                                                                      std::string_view before) {
  // An event of an older version is read by a plan that resolves it; the runner reads data of its own version.
  std::string avro;
  const std::vector<DataFault> faults = schemas_->encoder.encode(before, avro);
  if (!faults.empty()) {
    return error(fmt::format("the event does not fit version {} of {}: at \"{}\" {} was expected, not {}",
                             header().from, header().type, faults[0].path, faults[0].expected,
                             faults[0].found));
  }
  PartBuffers buffers;
  std::vector<ScriptPart> parts;
  const auto ran = schemas_->runner->run(event, avro, buffers, parts);
  if (schemas_->runner->is_spent()) {
    auto fresh = UpcasterRunner::make(schemas_->step, schemas_->find_target, {});
    if (!fresh) return std::move(fresh).error();
    schemas_->runner = *std::move(fresh);
  }
  if (!ran)
    return error(without_place(ran.error().message, schemas_->step.upcaster->file(), ran.error().line),
                 ran.error().line);
  Parts made;
  for (const ScriptPart& result : parts) {
    const StoredSchema* const schema = result.target->schema.get();
    auto plan = schemas_->plans.find(schema);
    if (plan == schemas_->plans.end()) {
      auto compiled = DecodePlan::compile(schema->schema, schema->schema);
      if (!compiled) return error(compiled.error().message);
      plan = schemas_->plans.emplace(schema, *std::move(compiled)).first;
    }
    std::string json;
    if (const Status status = append_avro_as_json(plan->second, result.data, json); !status) {
      return error(status.error().message);
    }
    made.emplace_back(result.target->type, std::move(json));
  }
  return made;
}

ScriptError UpcasterTrial::error(std::string message, int line) const {
  return {ScriptFault::kError, std::move(message), file_, line};
}

}  // namespace cairn
