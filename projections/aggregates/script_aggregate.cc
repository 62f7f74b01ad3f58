#include "projections/aggregates/script_aggregate.h"

#include <utility>

#include "projections/script/aggregate_fold.h"

namespace cairn {

namespace {

class ScriptState final : public AggregateState {
 public:
  explicit ScriptState(std::unique_ptr<AggregateFold> fold) : fold_(std::move(fold)) {}

  Result<void, FoldFault> reset() override { return fold_->reset(); }
  bool wants(std::string_view type) override { return fold_->handles(type); }
  Result<void, FoldFault> apply(const EventView& event, const ShapedEvent& part) override {
    return fold_->apply(event, part);
  }
  Result<void, FoldFault> append_json(std::string& to) override { return fold_->append_json(to); }
  bool save(std::string& to) override { return fold_->save(to); }
  bool load(std::string_view saved) override { return fold_->load(saved); }
  void forget_plans() override { fold_->forget_plans(); }

 private:
  std::unique_ptr<AggregateFold> fold_;
};

class ScriptAggregate final : public Aggregate {
 public:
  ScriptAggregate(const AggregateDefinition& definition, LuaHost::Log log)
      : info_{definition.category, definition.fingerprint, definition.snapshot_every},
        source_(definition.source),
        file_(definition.file()),
        log_(std::move(log)) {}

  const AggregateInfo& info() const override { return info_; }

  ScriptResult<std::unique_ptr<AggregateState>> make_state() const override {
    CAIRN_TRY(std::unique_ptr<AggregateFold> fold, AggregateFold::make(source_, file_, log_));
    return std::unique_ptr<AggregateState>(std::make_unique<ScriptState>(std::move(fold)));
  }

 private:
  const AggregateInfo info_;
  const std::string source_;
  const std::string file_;
  const LuaHost::Log log_;
};

}  // namespace

std::shared_ptr<const Aggregate> make_script_aggregate(const AggregateDefinition& definition,
                                                       LuaHost::Log log) {
  return std::make_shared<const ScriptAggregate>(definition, std::move(log));
}

}  // namespace cairn
