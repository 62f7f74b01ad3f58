#include "projections/engine/engine.h"

#include <utility>

#include "projections/beside/read_only_daemon.h"

namespace cairn {

Result<std::unique_ptr<Engine>> Engine::open(const std::filesystem::path& folder, EngineOptions options) {
  if (!options.states.log) options.states.log = options.log;
  if (!options.daemon.log) options.daemon.log = options.log;

  std::unique_ptr<Engine> engine(new Engine);
  const auto began = std::chrono::steady_clock::now();
  const LogSink on_log = options.store.on_log;
  CAIRN_TRY(engine->store_, EventStore::open(folder, std::move(options.store)));
  if (options.on_store_open) {
    options.on_store_open(*engine->store_, std::chrono::steady_clock::now() - began);
  }
  CAIRN_TRY(engine->registry_, SchemaRegistry::open(*engine->store_));
  CAIRN_TRY(engine->shapes_, EventShapes::open(*engine->store_, *engine->registry_, options.log, on_log));
  CAIRN_TRY(engine->states_,
            AggregateStates::open(*engine->store_, *engine->shapes_, std::move(options.states)));
  switch (options.read_models) {
    case ReadModelMode::kOff:
      return engine;
    case ReadModelMode::kRead: {
      CAIRN_TRY(engine->read_models_,
                open_read_only_daemon(*engine->store_, *engine->shapes_, folder, std::move(options.daemon)));
      break;
    }
    case ReadModelMode::kBuild: {
      CAIRN_TRY(auto daemon,
                ProjectionDaemon::open(*engine->store_, *engine->shapes_, folder, std::move(options.daemon)));
      engine->daemon_ = daemon.get();
      engine->read_models_ = std::move(daemon);
      break;
    }
  }
  engine->add({.name = "projections",
               .start = [models = engine->read_models_.get()]() -> Status {
                 models->start();
                 return {};
               },
               .stop = [models = engine->read_models_.get()] { models->stop(); }});
  return engine;
}

void Engine::close() {
  parts_.stop();
  daemon_ = nullptr;
  read_models_.reset();
  states_.reset();  // Before the store: snapshots that wait to be written are written.
  store_
      .reset();  // Before shapes and registry: appends that it still answers may ask them. Neither of the two
                 // touches the store when it is destroyed.
  shapes_.reset();
  registry_.reset();
}

}  // namespace cairn
