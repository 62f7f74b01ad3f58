#include "projections/script_projection.h"

#include <utility>

#include "eventstore/json/json_check.h"
#include "projections/script/projection_fold.h"
#include "upcasters/values/lua_saved.h"

namespace cairn {

namespace {

// A state that has more is made anew to be emptied, which also takes away what a script has piled up in its
// own variables.
constexpr std::size_t kStateBytesKept = 4u << 20;

// What a state is made from. Outlives the projection where rows do.
struct Script {
  std::string source;
  std::string file;
  LuaHost::Log log;

  auto make_fold() const { return ProjectionFold::make(source, file, log); }
};

class ScriptRows final : public ProjectionRows {
 public:
  ScriptRows(std::shared_ptr<const Script> script, std::unique_ptr<ProjectionFold> fold)
      : script_(std::move(script)), fold_(std::move(fold)) {}

  std::optional<ApplyFault> key_of(const EventView& event, const ShapedEvent& part,
                                   std::string& key) override {
    return fold_->key_of(event, part, key);
  }
  bool load(std::uint32_t slot, std::string_view saved) override { return fold_->load(slot, saved); }
  std::optional<ApplyFault> apply(std::uint32_t slot, const EventView& event,
                                  const ShapedEvent& part) override {
    return fold_->apply(slot, event, part);
  }
  std::optional<ApplyFault> save(std::uint32_t slot, std::string& to) override {
    return fold_->save(slot, to);
  }

  void clear() override {
    if (fold_->memory_used() > kStateBytesKept) {
      auto made = script_->make_fold();
      if (auto* fold = std::get_if<std::unique_ptr<ProjectionFold>>(&made)) {
        fold_ = std::move(*fold);
        return;
      }
    }
    fold_->clear();
  }

  std::size_t memory_used() const override { return fold_->rows_bytes(); }
  void forget_plans() override { fold_->forget_plans(); }

 private:
  std::shared_ptr<const Script> script_;
  std::unique_ptr<ProjectionFold> fold_;
};

class ScriptProjection final : public Projection {
 public:
  ScriptProjection(ProjectionInfo info, std::shared_ptr<const Script> script)
      : info_(std::move(info)), script_(std::move(script)) {}

  const ProjectionInfo& info() const override { return info_; }

  std::variant<std::unique_ptr<ProjectionRows>, ScriptError> make_rows() const override {
    auto made = script_->make_fold();
    if (auto* error = std::get_if<ScriptError>(&made)) return std::move(*error);
    return std::make_unique<ScriptRows>(script_, std::get<std::unique_ptr<ProjectionFold>>(std::move(made)));
  }

  Status append_json(std::string_view saved, std::string& to) const override {
    const std::string_view json = saved_json(saved);
    if (json.empty() || check_json(json)) {
      return make_error(Errc::kCorruption, "a row of " + info_.name + " is no saved row");
    }
    to += json;
    return {};
  }

 private:
  const ProjectionInfo info_;
  const std::shared_ptr<const Script> script_;
};

}  // namespace

std::variant<std::shared_ptr<const Projection>, ScriptError> make_script_projection(
    const ProjectionDefinition& definition, LuaHost::Log log) {
  auto script = std::make_shared<const Script>(Script{definition.source, definition.file(), std::move(log)});
  const auto loaded = ProjectionScript::load(script->source, script->file);
  if (const auto* error = std::get_if<ScriptError>(&loaded)) return *error;
  const ProjectionHeader& header = std::get<ProjectionScript>(loaded).header();
  return std::make_shared<const ScriptProjection>(
      ProjectionInfo{definition.name, definition.fingerprint, {header.categories, header.types}},
      std::move(script));
}

}  // namespace cairn
