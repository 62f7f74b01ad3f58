#include "upcasters/shaping/shaper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schemaregistry/codec/avro_sink.h"

namespace cairn {

namespace {

// A hop is an upcaster that turns an event into one of another type. An upcaster can only produce types that
// existed when it was deployed, so hops cannot form a cycle; this is a backstop.
constexpr unsigned kHopsMax = 64;

// The limits of what all scripts together may make of one event.
constexpr std::size_t kPartsMax = 10'000;
constexpr std::size_t kBytesMax = 64u << 20;

ShapeFault fault_of(ShapeFault::Kind kind, std::string message) {
  ShapeFault fault;
  fault.kind = kind;
  fault.group = message;
  fault.message = std::move(message);
  return fault;
}

ShapeFault no_way(const Chain& chain, std::uint32_t version, const std::string& why) {
  ShapeFault fault =
      fault_of(ShapeFault::Kind::kNoWay,
               fmt::format("version {} of {} cannot read the data, and no upcaster leads there: {}", version,
                           chain.type, why));
  // Without the offset, which differs from event to event.
  fault.group = fault.message.substr(0, fault.message.rfind(", at byte "));
  return fault;
}

}  // namespace

bool Shaper::refresh() {
  const std::uint64_t now = chains_.changes();
  if (now == seen_changes_) return false;
  seen_changes_ = now;
  runners_.clear();
  known_.clear();
  last_ = nullptr;
  return true;
}

const Chain* Shaper::find_unchanged(const RememberedChain& remembered) {
  const auto found = find_chain(remembered.type, remembered.schema, Shape::latest());
  if (!found || (*found)->fingerprint != remembered.fingerprint) return nullptr;
  if (remembered.made_at) {
    const auto target = chains_.target_of(remembered.type, *remembered.made_at);
    if (!target || target->schema->id != remembered.schema) return nullptr;
  }
  return *found;
}

Result<const Chain*> Shaper::find_chain(std::string_view type, SchemaId schema, Shape shape) {
  const auto is_it = [&](const KnownChain& known) {
    return known.schema == schema && known.shape == shape && known.chain->type == type;
  };
  // Consecutive events often have the same type and schema.
  if (last_ != nullptr && is_it(*last_)) return last_->chain.get();
  const std::uint64_t key = (std::uint64_t{schema.value} << 32) | shape.version;
  if (const auto same_schema = known_.find(key); same_schema != known_.end()) {
    const auto found = std::find_if(same_schema->second.begin(), same_schema->second.end(), is_it);
    if (found != same_schema->second.end()) {
      last_ = &*found;
      return last_->chain.get();
    }
  }
  // Failures are not cached: clients may ask for any number of unknown versions.
  CAIRN_TRY(auto chain, chains_.find(type, schema, shape));
  last_ = &known_[key].emplace_back(KnownChain{schema, shape, std::move(chain)});
  return last_->chain.get();
}

bool Shaper::runs_scripts(std::string_view type, SchemaId schema, Shape shape) {
  const auto found = find_chain(type, schema, shape);
  return found && std::any_of((*found)->steps.begin(), (*found)->steps.end(),
                              [](const ChainStep& step) { return step.upcaster != nullptr; });
}

ShapeResult<void> Shaper::shape(const EventView& event, Shape shape) {
  parts_.clear();
  reached_watched_ = false;
  if (event.schema.value == 0) {
    parts_.push_back({.type = event.type, .data = event.data, .content_type = event.content_type});
    return {};
  }
  const auto complete = [&event](ShapeFault fault) {
    fault.position = event.position;
    fault.stream = event.stream;
    fault.version = event.version;
    return fault;
  };
  const auto found = find_chain(event.type, event.schema, shape);
  if (!found) {
    const bool no_version = found.error().code == Errc::kNotFound && shape.kind == Shape::Kind::kVersion;
    return complete(fault_of(no_version ? ShapeFault::Kind::kNoVersion : ShapeFault::Kind::kCorruption,
                             found.error().message));
  }
  const Chain& chain = **found;
  stored_version_ = chain.stored_version;
  if (uses_ != nullptr) uses_->add(chain, std::nullopt);
  if (chain.steps.empty()) {
    parts_.push_back(
        {event.type, chain.schema.get(), chain.version, stored_version_, 0, event.data, &chain.plan});
    return {};
  }
  buffers_.clear();
  made_.clear();
  if (auto made = run(chain, 0, event, event.data, 0); !made) {
    parts_.clear();
    return complete(std::move(made).error());
  }
  if (parts_.size() > 1) {
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].part = static_cast<std::uint32_t>(i + 1);
  }
  return {};
}

ShapeResult<void> Shaper::run(const Chain& chain, std::size_t step, const EventView& event,
                              std::string_view data, unsigned hops) {
  for (; step < chain.steps.size(); ++step) {
    if (chain.steps[step].upcaster != nullptr) return run_script(chain, step, event, data, hops);
    std::string& bytes = buffers_.take();
    if (const Status status = append_avro_as_avro(chain.steps[step].plan, data, bytes); !status) {
      return no_way(chain, chain.steps[step].version, status.error().message);
    }
    data = bytes;
  }
  parts_.push_back({chain.type, chain.schema.get(), chain.version, stored_version_, 0, data, &chain.plan});
  return {};
}

ShapeResult<void> Shaper::run_script(const Chain& chain, std::size_t step, const EventView& event,
                                     std::string_view data, unsigned hops) {
  const ChainStep& with_script = chain.steps[step];
  const bool reached_before = reached_watched_;
  reached_watched_ = reached_watched_ || with_script.upcaster.get() == watched_;
  if (hops == kHopsMax) {
    return fault_of(ShapeFault::Kind::kScript,
                    with_script.upcaster->file() + ": its events lead in a circle");
  }
  const std::size_t first = made_.size();
  const auto runner = runner_of(with_script);
  const auto ran = runner ? (*runner)->run(event, data, buffers_, made_) : runner.error();
  if (!ran && ran.error().kind == ShapeFault::Kind::kCorruption && with_script.resolves) {
    reached_watched_ = reached_before;  // The data could not be decoded, so the script was not called.
    const std::size_t file = with_script.upcaster->file().size() + 2;  // "Order/1-2.lua: "
    return no_way(chain, with_script.upcaster->header.from, ran.error().message.substr(file));
  }
  if (!ran) {
    ShapeFault fault = ran.error();
    fault.upcaster = with_script.upcaster.get();
    if (runner && (*runner)->is_spent()) runners_.erase(&with_script);
    return fault;
  }
  const std::size_t end = made_.size();
  if (end > kPartsMax || buffers_.bytes() > kBytesMax) {
    return fault_of(
        ShapeFault::Kind::kScript,
        with_script.upcaster->file() + ": with the scripts before it, it makes too much of one event");
  }
  for (std::size_t i = first; i < end; ++i) {
    const ScriptPart part = made_[i];  // A copy: the steps below may add to made_.
    if (part.target->type == chain.type) {
      CAIRN_CHECK(run(chain, step + 1, event, part.data, hops));
      continue;
    }
    const auto other = find_chain(part.target->type, part.target->schema->id, Shape::latest());
    if (!other) return fault_of(ShapeFault::Kind::kCorruption, other.error().message);
    if (uses_ != nullptr) uses_->add(**other, with_script.upcaster->registry_changes);
    CAIRN_CHECK(run(**other, 0, event, part.data, hops + 1));
  }
  return {};
}

ShapeResult<UpcasterRunner*> Shaper::runner_of(const ChainStep& step) {
  std::unique_ptr<UpcasterRunner>& known = runners_[&step];
  if (known == nullptr) {
    auto made = UpcasterRunner::make(
        step,
        [this](std::string_view type, std::uint64_t changes) { return chains_.target_of(type, changes); },
        log_);
    if (!made) {
      ShapeFault fault = fault_of(ShapeFault::Kind::kScript, made.error().text());
      fault.line = made.error().line;
      runners_.erase(&step);
      return fault;
    }
    known = *std::move(made);
  }
  return known.get();
}

}  // namespace cairn
