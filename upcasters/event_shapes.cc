#include "upcasters/event_shapes.h"

#include "upcasters/deploy/half_withdrawn.h"

namespace cairn {

EventShapes::EventShapes(StoreAccess store, SchemaRegistry& registry, LuaHost::Log log, LogSink on_log)
    : registry_(registry),
      upcasters_(store.log()),
      history_(registry, upcasters_),
      shapers_(chains_, std::move(log)),
      deployer_(store, registry, upcasters_, history_, shapers_, std::move(on_log)) {}

Result<std::unique_ptr<EventShapes>> EventShapes::open(EventStore& store, SchemaRegistry& registry,
                                                       LuaHost::Log log, const LogSink& on_log) {
  std::unique_ptr<EventShapes> shapes(new EventShapes(store, registry, std::move(log), on_log));
  CAIRN_CHECK(shapes->catch_up());
  CAIRN_CHECK(repair_half_withdrawn(store, registry, shapes->upcasters_, shapes->history_, on_log));
  return shapes;
}

Result<std::unique_ptr<EventShapes>> EventShapes::open_reader(LogReader& log, SchemaRegistry& registry,
                                                              LuaHost::Log script_log) {
  std::unique_ptr<EventShapes> shapes(new EventShapes(log, registry, std::move(script_log), {}));
  CAIRN_CHECK(shapes->catch_up());
  return shapes;
}

Status EventShapes::catch_up() {
  CAIRN_CHECK(registry_.catch_up());
  return upcasters_.catch_up();
}

}  // namespace cairn
