#include "projections/script_projection.h"

#include <utility>

#include "eventstore/json/json_check.h"
#include "projections/script/projection_fold.h"
#include "upcasters/values/lua_saved.h"

namespace cairn {

namespace {

// A Lua state with more memory is replaced by a new one instead of being cleared, which also frees what the
// script has accumulated in its own variables.
constexpr std::size_t kStateBytesKept = 4u << 20;

// The source of a Lua state. Shared, because rows may outlive the projection.
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

  Result<void, ApplyFault> key_of(const EventView& event, const ShapedEvent& part,
                                  std::string& key) override {
    return outcome(fold_->key_of(event, part, key));
  }
  bool load(std::uint32_t slot, std::string_view saved) override { return fold_->load(slot, saved); }
  Result<void, ApplyFault> apply(std::uint32_t slot, const EventView& event,
                                 const ShapedEvent& part) override {
    return outcome(fold_->apply(slot, event, part));
  }
  Result<void, ApplyFault> save(std::uint32_t slot, std::string& to) override {
    return outcome(fold_->save(slot, to));
  }

  void clear() override {
    if (fold_->memory_used() > kStateBytesKept) {
      if (auto made = script_->make_fold()) {
        fold_ = *std::move(made);
        return;
      }
    }
    fold_->clear();
  }

  std::size_t memory_used() const override { return fold_->rows_bytes(); }
  void forget_plans() override { fold_->forget_plans(); }

 private:
  static Result<void, ApplyFault> outcome(std::optional<ProjectionFold::Fault> fault) {
    if (fault) return *std::move(fault);
    return {};
  }

  std::shared_ptr<const Script> script_;
  std::unique_ptr<ProjectionFold> fold_;
};

class ScriptProjection final : public Projection {
 public:
  ScriptProjection(ProjectionInfo info, std::shared_ptr<const Script> script)
      : info_(std::move(info)), script_(std::move(script)) {}

  const ProjectionInfo& info() const override { return info_; }

  ScriptResult<std::unique_ptr<ProjectionRows>> make_rows() const override {
    CAIRN_TRY(std::unique_ptr<ProjectionFold> fold, script_->make_fold());
    return std::unique_ptr<ProjectionRows>(std::make_unique<ScriptRows>(script_, std::move(fold)));
  }

  Status append_json(std::string_view saved, std::string& to) const override {
    const std::string_view json = saved_json(saved);
    if (json.empty() || check_json(json)) {
      return make_error(Errc::kCorruption, "a row of " + info_.name + " is not a saved row");
    }
    to += json;
    return {};
  }

 private:
  const ProjectionInfo info_;
  const std::shared_ptr<const Script> script_;
};

}  // namespace

ScriptResult<std::shared_ptr<const Projection>> make_script_projection(const ProjectionDefinition& definition,
                                                                       LuaHost::Log log) {
  auto script = std::make_shared<const Script>(Script{definition.source, definition.file(), std::move(log)});
  CAIRN_TRY(const ProjectionScript loaded, ProjectionScript::load(script->source, script->file));
  const ProjectionHeader& header = loaded.header();
  return std::shared_ptr<const Projection>(std::make_shared<const ScriptProjection>(
      ProjectionInfo{definition.name, definition.fingerprint, {header.categories, header.types}},
      std::move(script)));
}

}  // namespace cairn
