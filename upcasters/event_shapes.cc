#include "upcasters/event_shapes.h"

namespace cairn {

EventShapes::EventShapes(StoreAccess store, SchemaRegistry& registry, LuaHost::Log log,
                         std::function<void()> refresh)
    : registry_(registry),
      upcasters_(store.log()),
      known_(registry, upcasters_),
      trials_(known_chains_, log),
      deployer_(store, registry, upcasters_, known_, trials_),
      history_(registry, upcasters_, std::move(refresh)),
      shapers_(chains_, std::move(log)) {}

Result<std::unique_ptr<EventShapes>> EventShapes::open(EventStore& store, SchemaRegistry& registry,
                                                       LuaHost::Log log) {
  std::unique_ptr<EventShapes> shapes(new EventShapes(store, registry, std::move(log), {}));
  CAIRN_CHECK(shapes->deployer_.start());
  return shapes;
}

// The registry catches up whenever it is asked, also while events are being shaped. A reader that sees a
// version registered together with an upcaster must see the upcaster too, so the upcasters catch up directly
// after it. A failure there is ignored: the next catch_up() fails in the same way and reports it.
Result<std::unique_ptr<EventShapes>> EventShapes::open_reader(LogReader& log, SchemaRegistry& registry,
                                                              LuaHost::Log script_log) {
  auto self = std::make_shared<EventShapes*>(nullptr);
  std::unique_ptr<EventShapes> shapes(
      new EventShapes(log, registry, std::move(script_log), [self] { (void)(*self)->deployer_.follow(); }));
  *self = shapes.get();
  CAIRN_CHECK(shapes->catch_up());
  return shapes;
}

Status EventShapes::catch_up() {
  CAIRN_CHECK(deployer_.follow());
  return registry_.catch_up();
}

}  // namespace cairn
