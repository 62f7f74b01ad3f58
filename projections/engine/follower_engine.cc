#include "projections/engine/follower_engine.h"

#include <utility>

namespace cairn {

Result<std::unique_ptr<FollowerEngine>> FollowerEngine::open(const std::filesystem::path& folder,
                                                             FollowerEngineOptions options) {
  std::unique_ptr<FollowerEngine> engine(new FollowerEngine);
  CAIRN_TRY(engine->log_, LogReader::open_beside(folder, std::move(options.follow)));
  CAIRN_TRY(engine->registry_, SchemaRegistry::open_reader(*engine->log_));
  CAIRN_TRY(engine->shapes_, EventShapes::open_reader(*engine->log_, *engine->registry_, options.log));
  if (!options.daemon.log) options.daemon.log = options.log;
  options.daemon.catch_up_shapes = [shapes = engine->shapes_.get()] { return shapes->catch_up(); };
  CAIRN_TRY(engine->daemon_,
            ProjectionDaemon::open(*engine->log_, *engine->shapes_, folder, std::move(options.daemon)));
  engine->add({.name = "projections",
               .start = [daemon = engine->daemon_.get()]() -> Status {
                 daemon->start();
                 return {};
               },
               .stop = [daemon = engine->daemon_.get()] { daemon->stop(); }});
  return engine;
}

void FollowerEngine::close() {
  parts_.stop();
  daemon_.reset();
  shapes_.reset();
  registry_.reset();
  log_.reset();
}

}  // namespace cairn
